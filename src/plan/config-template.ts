// .plans/config.yml with every setting as a comment: what `init` writes, and what the manual page shows.

export const configTemplate = `# What holds for all plans of this repository. Read from the branch that plan.policyRef names in git config; without it
# from the remote's default branch. Every key is optional. To look at it before it counts: git plan check .plans/config.yml
version: 1

# Behind one # stands the default; behind two, an example of what is off without it.
#
# limits:
#   steps: 100           # of one plan
#   # timeout: 5m        # for steps that name none; without it they have none
#   output: 10mb         # what one step may print
#   pause_every: 0       # stop and ask after so many steps; 0: never
# stale_after: 30d       # a proposal that nobody decided on
# stalled_after: 30m     # a run on another machine that was not heard of
# commit:
#   subject: "{title}"
#   # subject: "chore(plan): {title}"
# rollback:
#   automatic: true      # a failed step is restored by itself
#   keep: 30d            # attempts and logs
# bases: []              # where plans may start from; empty: anywhere
# # bases: [main, "release/*"]
# approval:              # for each risk: none, local, signature, review, or these keys
#   low: { from: [local, signature, review], count: 1 }
#   # low: none
#   medium: { from: [local, signature, review], count: 1 }
#   high: { from: [local, signature, review], count: 1 }
#   # high: { from: [review], count: 1, not: [author, last-pusher] }
#   critical: { from: [local, signature, review], count: 1 }
#   # critical: { from: [review], count: 2, teams: [platform], codeowners: true }
#   # expires: 30d       # how long an approval holds; without it for good
#   fixes: allow         # reapprove: edits by hand (--fix, --done) need a new one
#   removals: reapprove  # allow: a new text that only leaves steps out needs no new one
#   result_review: reviewed   # of what came of it, before finish; or required, none
#   effect_rollback: []  # who may roll back over an external effect; empty: everybody
#   bots: []             # bots whose approvals count
#   # bots: ["@merge-bot[bot]"]
# teams: {}              # people by team, for approval; others are asked of the forge
# # teams: { platform: [alice@example.com, "@alice"] }
# forges: {}             # hosts of your own: github, gitlab, or gitea (Forgejo too)
# # forges: { git.example.com: { kind: gitlab }, "git.acme.org:8443": { kind: gitea } }
# require: []            # what every step must have: owner, files, criteria, tests
# risk:
#   critical: []         # what is critical here
#   # critical: ["infra/prod/**"]
# validation:            # what is looked at before a plan runs
#   syntax: true         # what create and edit would write parses
#   secrets: true        # in the plan, and in what a step is about to commit
#   patterns: true       # dangerous commands
#   dependencies: true   # files, tools and imports that a step refers to
# safety: []             # programs of your own that only read in some of their forms
# # safety:
# #   - tool: npx go-gmail
# #     read: ["* search *"]
# #     examples: { read: [npx go-gmail a search x], write: [npx go-gmail a send x] }
`
