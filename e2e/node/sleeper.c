/* A container that does nothing until it is told to end: the sandbox of every pod, and what the test's own pods run. */
#include <signal.h>
#include <unistd.h>

static void end(int signal) {
  (void)signal;
  _exit(0);
}

int main(void) {
  signal(SIGTERM, end);
  signal(SIGINT, end);
  signal(SIGCHLD, SIG_IGN); /* leaves no zombies where pods share their processes */
  for (;;) pause();
}
