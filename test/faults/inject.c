// Runs a command and injects a fault at its n-th counted call. Counted are calls that open a file below a directory for
// writing, write, sync, truncate, rename, link or remove one, create a directory, or start a process, over all processes
// and threads of the command together. Changes of times and permissions are not counted. (strace counts per thread, so
// it cannot name the n-th call of a program with threads and children.)
//
//   inject --root DIR [--of SHAPE] --at N --do ACTION [--wait MICROSECONDS] [--through NAME] --log FILE -- COMMAND...
//
// ACTION: record (nothing is injected), group (SIGKILL to every process of the run), alone (SIGKILL to the command
// itself: its children continue), or the name of an error that the call returns without being performed: EIO, ENOSPC.
// With --of, only calls of that shape count towards N: a shape is a line of the log without the parts that vary.
// With --through, the command only starts the program under test, as git does for `git plan`: a script NAME, which
// becomes the command itself once its interpreter starts. Nothing counts before that; "alone" refers to it, and the run
// ends when it ends.
// With --wait, the run continues for that long before the signal. The log has a line per counted call; its last line is
// `end <exit code or 256> <fired or not>`. inject ends with the command; a second process keeps watching any processes
// that the command left running.

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "inject.c knows the registers of x86_64 only"
#endif

enum shape { AT_PATH, LATER_PATH, PLAIN_PATH, DESCRIPTOR, THIRD, AT_TWO, PLAIN_TWO, OPEN, OPENAT, EXEC };

static const struct call { long number; const char *name; enum shape shape; } calls[] = {
  {SYS_open, "open", OPEN}, {SYS_openat, "open", OPENAT}, {SYS_creat, "open", PLAIN_PATH},
  {SYS_write, "write", DESCRIPTOR}, {SYS_pwrite64, "write", DESCRIPTOR}, {SYS_writev, "write", DESCRIPTOR}, {SYS_pwritev, "write", DESCRIPTOR},
  {SYS_copy_file_range, "write", THIRD}, {SYS_sendfile, "write", DESCRIPTOR}, {SYS_ftruncate, "truncate", DESCRIPTOR}, {SYS_truncate, "truncate", PLAIN_PATH},
  {SYS_fsync, "fsync", DESCRIPTOR}, {SYS_fdatasync, "fsync", DESCRIPTOR},
  {SYS_rename, "rename", PLAIN_TWO}, {SYS_renameat, "rename", AT_TWO}, {SYS_renameat2, "rename", AT_TWO},
  {SYS_link, "link", PLAIN_TWO}, {SYS_linkat, "link", AT_TWO}, {SYS_symlink, "symlink", PLAIN_TWO}, {SYS_symlinkat, "symlink", LATER_PATH},
  {SYS_unlink, "unlink", PLAIN_PATH}, {SYS_unlinkat, "unlink", AT_PATH}, {SYS_rmdir, "rmdir", PLAIN_PATH},
  {SYS_mkdir, "mkdir", PLAIN_PATH}, {SYS_mkdirat, "mkdir", AT_PATH},
  {SYS_execve, "exec", EXEC},
};
#define CALLS (sizeof calls / sizeof *calls)

// What a process is: the command itself, a shell of its own that starts others for it, a git that it started, or anything else (a step's own commands and all
// below them).
enum kind { NONE = 0, SELF = 's', HELPER = 'h', GIT = 'g', OTHER = 'o' };
static struct { pid_t group; char kind; char alive; char begun; char held; } *known;
static pid_t highest, executor;

static const char *root = "/", *action = "record";
static size_t rootLength;
static const char *wanted, *through;
static long target, counted, matched, waitFor;
static int logFile = -1, isFired, isDue;

static void die(const char *what) { perror(what); exit(125); }
static void say(const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line - 1, format, values);
  va_end(values);
  if (length > (int)sizeof line - 2) length = sizeof line - 2;
  for (int at = 0; at < length; at++) if (line[at] == '\n') line[at] = ' ';
  line[length] = '\n';
  if (logFile >= 0 && write(logFile, line, length + 1) < 0) die("log");
}

static int readText(pid_t pid, uint64_t from, char *to, size_t size) {
  size_t done = 0;
  while (done < size - 1) {
    size_t step = 4096 - (from + done) % 4096;
    if (step > size - 1 - done) step = size - 1 - done;
    struct iovec here = {to + done, step}, there = {(void *)(from + done), step};
    ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (got <= 0) break;
    if (memchr(to + done, 0, got)) return 1;
    done += got;
  }
  to[done] = 0;
  return done > 0;
}

static int readWord(pid_t pid, uint64_t from, uint64_t *value) {
  struct iovec here = {value, sizeof *value}, there = {(void *)from, sizeof *value};
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof *value;
}

static void linkTarget(const char *path, char *to) {
  ssize_t length = readlink(path, to, PATH_MAX - 1);
  to[length < 0 ? 0 : length] = 0;
}

static void descriptorPath(pid_t pid, int fd, char *to) {
  char name[64];
  if (fd == AT_FDCWD) snprintf(name, sizeof name, "/proc/%d/cwd", pid);
  else snprintf(name, sizeof name, "/proc/%d/fd/%d", pid, fd);
  linkTarget(name, to);
}

static void fullPath(pid_t pid, int fd, uint64_t text, char *to) {
  char path[PATH_MAX], base[PATH_MAX];
  if (!readText(pid, text, path, sizeof path)) path[0] = 0;
  if (path[0] == '/') { strcpy(to, path); return; }
  descriptorPath(pid, fd, base);
  snprintf(to, 2 * PATH_MAX, "%s/%s", base, path);
}

// The work trees of plans are beside the repository, in DIR.plans.
static int isBelow(const char *path) {
  if (strncmp(path, root, rootLength) != 0) return 0;
  const char *rest = path + rootLength;
  if (strncmp(rest, ".plans", 6) == 0) rest += 6;
  return *rest == '/' || *rest == 0;
}

// A shell without a script, or with one from its input alone.
static int isHelper(pid_t pid) {
  char name[64], line[64] = {0};
  snprintf(name, sizeof name, "/proc/%d/cmdline", pid);
  int file = open(name, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, line, sizeof line);
  if (file >= 0) close(file);
  return length > 0 && length < (ssize_t)sizeof line && strcmp(line, "/bin/sh") == 0 && (length == 8 || (length == 11 && strcmp(line + 8, "-s") == 0));
}

// The interpreter of the script that is meant: its first argument. `env`, which may look for the interpreter, has another one there.
static int isMeant(pid_t pid) {
  char name[64], line[2 * PATH_MAX] = {0};
  snprintf(name, sizeof name, "/proc/%d/cmdline", pid);
  int file = open(name, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, line, sizeof line - 1);
  if (file >= 0) close(file);
  if (length <= 0) return 0;
  const char *script = line + strlen(line) + 1, *base = strrchr(script, '/');
  return strcmp(base ? base + 1 : script, through) == 0;
}

static char kindAfterExec(pid_t pid, char before) {
  char name[64], exe[PATH_MAX];
  snprintf(name, sizeof name, "/proc/%d/exe", pid);
  linkTarget(name, exe);
  const char *base = strrchr(exe, '/');
  if (before == OTHER) return OTHER;
  if (before == SELF && isHelper(pid)) return HELPER;
  return base && strncmp(base + 1, "git", 3) == 0 ? GIT : OTHER;
}

static pid_t groupOf(pid_t pid) {
  char name[64], line[256];
  snprintf(name, sizeof name, "/proc/%d/status", pid);
  FILE *file = fopen(name, "r");
  pid_t group = pid;
  if (!file) return pid;
  while (fgets(line, sizeof line, file)) if (sscanf(line, "Tgid: %d", &group) == 1) break;
  fclose(file);
  return group;
}

static void meet(pid_t pid, pid_t parent) {
  if (pid > highest) highest = pid;
  if (known[pid].alive && known[pid].kind) return;
  known[pid].alive = 1;
  known[pid].group = groupOf(pid);
  known[pid].kind = parent ? known[parent].kind : SELF;
  if (!known[pid].kind) known[pid].kind = OTHER;
  if (!known[pid].held) return;
  known[pid].held = 0;
  // Born while the others were killed.
  if (isFired && strcmp(action, "group") == 0) kill(pid, SIGKILL);
  known[pid].begun = 1;
  ptrace(PTRACE_CONT, pid, 0, 0);
}

static void strike(void) {
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  isFired = 1;
  isDue = 0;
  kill(executor, SIGKILL);
  // Who is dead brings no news of a birth: nobody may wait for it.
  for (pid_t each = 1; each <= highest; each++) if (known[each].held) meet(each, executor);
  if (strcmp(action, "alone") == 0) return;
  for (pid_t each = 1; each <= highest; each++) if (known[each].alive && known[each].group == each) kill(each, SIGKILL);
}

static void answerWith(pid_t pid, int error) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, pid, 0, &registers) < 0) return;
  registers.orig_rax = -1;
  registers.rax = -error;
  ptrace(PTRACE_SETREGS, pid, 0, &registers);
  isFired = 1;
}

static int describeExec(pid_t pid, const uint64_t *args, char *to, size_t size) {
  char file[PATH_MAX];
  if (!readText(pid, args[0], file, sizeof file) || access(file, X_OK) != 0) return 0;
  size_t used = 0;
  to[0] = 0;
  for (int at = 0, isGit = 0; at < 64 && used < size - 1; at++) {
    uint64_t word;
    char text[400];
    if (!readWord(pid, args[1] + 8 * at, &word) || word == 0) break;
    if (!readText(pid, word, text, sizeof text)) text[0] = 0;
    if (at == 0) isGit = strcmp(text, "git") == 0;
    // Settings of git come in pairs and say nothing here.
    if (isGit && strcmp(text, "-c") == 0) { at += 1; continue; }
    used += snprintf(to + used, size - used, at ? " %s" : "%s", text);
  }
  return 1;
}

// Names that are made up anew each time, numbers of processes, hashes: each becomes a #.
static void shapeOf(const char *line, char *to, size_t size) {
  size_t used = 0;
  for (const char *at = line; *at && used < size - 2;) {
    const char *end = at;
    int digits = 0;
    // The directory of a loose object.
    if (at > line && at[-1] == '/' && isxdigit(at[0]) && isxdigit(at[1]) && !isalnum(at[2])) {
      used += snprintf(to + used, size - used, "##");
      at += 2;
      continue;
    }
    if (strncmp(at, "tmp_obj_", 8) == 0) digits = 1;
    for (; isalnum(*end) || *end == '_'; end++) digits += isdigit(*end) != 0;
    if (end == at) to[used++] = *at++;
    else if (digits && end - at >= 3) { to[used++] = '#'; at = end; }
    else for (; at < end && used < size - 2; at++) to[used++] = *at;
  }
  to[used] = 0;
}

// A call that our filter asks about, before it is made.
static void look(pid_t pid) {
  static char first[2 * PATH_MAX], second[2 * PATH_MAX];
  struct __ptrace_syscall_info info;
  if (through) return;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) < 0) return;
  const uint64_t *args = info.seccomp.args;
  const struct call *call = NULL;
  for (size_t at = 0; at < CALLS; at++) if (calls[at].number == (long)info.seccomp.nr) call = &calls[at];
  if (!call) return;
  first[0] = second[0] = 0;
  switch (call->shape) {
    case OPEN: case OPENAT: {
      int isAt = call->shape == OPENAT;
      if (!(args[1 + isAt] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))) return;
      fullPath(pid, isAt ? (int)args[0] : AT_FDCWD, args[isAt], first);
      break;
    }
    case PLAIN_PATH: fullPath(pid, AT_FDCWD, args[0], first); break;
    case AT_PATH: fullPath(pid, (int)args[0], args[1], first); break;
    case LATER_PATH: fullPath(pid, (int)args[1], args[2], first); break;
    case DESCRIPTOR: descriptorPath(pid, (int)args[0], first); break;
    case THIRD: descriptorPath(pid, (int)args[2], first); break;
    case PLAIN_TWO: fullPath(pid, AT_FDCWD, args[0], first); fullPath(pid, AT_FDCWD, args[1], second); break;
    case AT_TWO: fullPath(pid, (int)args[0], args[1], first); fullPath(pid, (int)args[2], args[3], second); break;
    case EXEC:
      if (known[pid].kind == OTHER || !describeExec(pid, args, first, sizeof first)) return;
      if (pid == executor && !known[pid].begun) { known[pid].begun = 1; return; }
      break;
  }
  if (call->shape != EXEC && !isBelow(first) && !(second[0] && isBelow(second))) return;
  static char line[5 * PATH_MAX], shape[512];
  snprintf(line, sizeof line, "%c %s %s%s%s", known[pid].kind, call->name, first, second[0] ? " > " : "", second);
  for (char *each = line; *each; each++) if (*each == '\n' || *each == '\t') *each = ' ';
  shapeOf(line, shape, sizeof shape);
  counted += 1;
  matched += !wanted || strcmp(wanted, shape) == 0;
  say("%ld %s\t%s", counted, line, shape);
  if (isFired || matched != target || (wanted && strcmp(wanted, shape) != 0)) return;
  if (strcmp(action, "EIO") == 0) answerWith(pid, EIO);
  else if (strcmp(action, "ENOSPC") == 0) answerWith(pid, ENOSPC);
  else if (strcmp(action, "record") == 0) return;
  else if (waitFor == 0) strike();
  else {
    // Again and again: the first may come just before we wait for the next event.
    struct itimerval timer = {{0, 1000}, {waitFor / 1000000, waitFor % 1000000}};
    setitimer(ITIMER_REAL, &timer, NULL);
  }
}

static void onAlarm(int number) { (void)number; isDue = 1; }

static void install(void) {
  struct sock_filter filter[CALLS + 4];
  size_t at = 0;
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t each = 0; each < CALLS; each++)
    filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[each].number, CALLS - each, 0);
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  struct sock_fprog program = {at, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) die("seccomp");
}

static void watch(char **command, int report) {
  executor = fork();
  if (executor < 0) die("fork");
  if (executor == 0) {
    close(report);
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0) die("ptrace");
    raise(SIGSTOP);
    install();
    execvp(command[0], command);
    die(command[0]);
  }
  // Whoever reads the command's output must not wait for us.
  int nowhere = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd++) dup2(nowhere, fd);
  int status;
  if (waitpid(executor, &status, 0) != executor) die("wait");
  meet(executor, 0);
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, executor, 0, options) < 0) die("setoptions");
  struct sigaction act = {.sa_handler = onAlarm};
  sigaction(SIGALRM, &act, NULL);
  ptrace(PTRACE_CONT, executor, 0, 0);

  for (;;) {
    if (isDue) strike();
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      memset(&known[pid], 0, sizeof *known);
      if (pid == executor) {
        say("end %d %s", WIFEXITED(status) ? WEXITSTATUS(status) : 256, isFired ? "fired" : "not");
        char code = WIFEXITED(status) ? WEXITSTATUS(status) : 137;
        if (write(report, &code, 1) < 0) return;
        close(report);
      }
      continue;
    }
    if (!WIFSTOPPED(status)) continue;
    int event = status >> 16, signal = WSTOPSIG(status);
    // A child can be faster than the news of its birth: it waits until we know whose it is.
    if (!known[pid].kind && event == 0 && signal == SIGSTOP) {
      known[pid].held = 1;
      if (pid > highest) highest = pid;
      if (isFired) meet(pid, executor);
      continue;
    }
    unsigned long message = 0;
    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
      ptrace(PTRACE_GETEVENTMSG, pid, 0, &message);
      meet((pid_t)message, pid);
    } else if (event == PTRACE_EVENT_EXEC && through && isMeant(pid)) {
      through = NULL;
      known[executor].kind = OTHER;
      executor = known[pid].group = pid;
      known[pid].alive = known[pid].begun = 1;
      known[pid].kind = SELF;
    } else if (event == PTRACE_EVENT_EXEC && !(known[pid].group == executor && pid == executor)) {
      known[pid].group = pid;
      known[pid].alive = 1;
      known[pid].kind = kindAfterExec(pid, known[pid].kind);
    } else if (event == PTRACE_EVENT_SECCOMP) look(pid);
    if (pid > highest) highest = pid;
    // The first stop of a process that has just been made is the kernel's own; every other signal is passed on.
    int isNew = event == 0 && signal == SIGSTOP && !known[pid].begun;
    if (isNew) known[pid].begun = known[pid].kind != SELF || pid != executor;
    int isJobStop = event == PTRACE_EVENT_STOP;
    ptrace(PTRACE_CONT, pid, 0, event != 0 || isNew || isJobStop || signal == SIGTRAP ? 0 : signal);
  }
}

int main(int count, char **words) {
  int at = 1;
  for (; at + 1 < count && strcmp(words[at], "--") != 0; at += 2) {
    const char *name = words[at], *value = words[at + 1];
    if (strcmp(name, "--root") == 0) root = value;
    else if (strcmp(name, "--of") == 0) wanted = value;
    else if (strcmp(name, "--at") == 0) target = atol(value);
    else if (strcmp(name, "--do") == 0) action = value;
    else if (strcmp(name, "--through") == 0) through = value;
    else if (strcmp(name, "--wait") == 0) waitFor = atol(value);
    else if (strcmp(name, "--log") == 0) logFile = open(value, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    else { fprintf(stderr, "inject: unknown option %s\n", name); return 125; }
  }
  if (at + 1 >= count || logFile < 0) { fprintf(stderr, "inject: needs --log FILE and -- COMMAND\n"); return 125; }
  rootLength = strlen(root);
  long most = 1 << 22;
  known = calloc(most + 1, sizeof *known);
  int ends[2];
  if (!known || pipe2(ends, O_CLOEXEC) < 0) die("set-up");
  pid_t watcher = fork();
  if (watcher < 0) die("fork");
  if (watcher == 0) {
    close(ends[0]);
    watch(words + at + 1, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  unsigned char code;
  return read(ends[0], &code, 1) == 1 ? code : 125;
}
