// A C program that forks: the child exits with 3, the parent with 6.

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pid_t child = fork();
    if (child == 0) {
        printf("child\n");
        fflush(stdout);
        _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("parent saw %d\n", WEXITSTATUS(status));
    return 6;
}
