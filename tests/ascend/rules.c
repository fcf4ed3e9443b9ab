/* Each case breaks one rule of CANN, or shows one that the emulator keeps. `rules` lists the cases; `rules NAME` runs one in a
 * process of its own and fails unless the statuses and the reports of broken rules are as expected. */
#include "rules.h"

int failures;

/* Every line of the reports begins with what is expected, and there is at least one if anything is. */
static void check_reports(const char *expected)
{
    static char text[100000];
    emu_violations(text, sizeof text);
    if (!*text && expected) printf("no broken rule was reported\n"), ++failures;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (!expected || strncmp(line, expected, strlen(expected))) printf("reported: %s\n", line), ++failures;
}

int main(int argc, char **argv)
{
    const Case *tables[] = {runtime_cases, operator_cases};
    for (int k = 0; k < 2; ++k) {
        for (const Case *c = tables[k]; c->name; ++c) {
            if (argc < 2) puts(c->name);
            else if (!strcmp(argv[1], c->name)) {
                c->run();
                check_reports(c->report);
                fflush(stdout);
                _exit(failures != 0);
            }
        }
    }
    return argc < 2 ? 0 : 2;
}
