// .plans/config.yml with every setting as a comment: what `init` writes, and what the manual page shows.

export const configTemplate = `# What holds for all plans of this repository. Read from the branch that plan.policyRef names in git config; without it
# from the remote's default branch. Every key is optional; these are the defaults.
version: 1

# limits:
#   steps: 100           # of one plan
#   timeout: 5m          # for steps that name none; without it they have none
#   output: 10mb         # what one step may print
#   pause_every: 0       # stop and ask after so many steps; 0: never
# stale_after: 30d       # a proposal that nobody decided on
# stalled_after: 30m     # a run on another machine that was not heard of
# commit:
#   subject: "{title}"   # such as "chore(plan): {title}"
# rollback:
#   automatic: true      # a failed step is restored by itself
#   keep: 30d            # attempts and logs
# bases: [main, "release/*"]   # where plans may start from; empty: anywhere
# approval:              # none, local, signature, review, or these keys
#   low: { from: [local, signature, review], count: 1 }
#   medium: { from: [local, signature, review], count: 1 }
#   # such as { from: [review], count: 1, not: [author, last-pusher] }
#   high: { from: [local, signature, review], count: 1 }
#   # such as { from: [review], count: 2, teams: [platform], codeowners: true }
#   critical: { from: [local, signature, review], count: 1 }
#   expires: 30d         # how long an approval holds; without it for good
#   fixes: allow         # reapprove: edits by hand (--fix, --done) need a new one
#   removals: reapprove  # allow: a new text that only leaves steps out needs no new one
#   # whether finish needs one of the result: required, none, or if the plan had a review
#   result_review: reviewed
#   effect_rollback: []  # who may roll back over an external effect; empty: everybody
#   bots: []             # bots whose approvals count, such as "@merge-bot[bot]"
# teams: {}              # such as { platform: [alice@example.com, "@alice"] }
# forges: {}             # such as { git.example.com: { kind: gitlab } }
# require: []            # what every step must have: owner, files, criteria, tests
# risk:
#   critical: []         # what is critical here, such as "infra/prod/**"
# validation:            # what is looked at before a plan runs
#   syntax: true         # what create and edit would write parses
#   secrets: true        # in the plan, and in what a step is about to commit
#   patterns: true       # dangerous commands
#   dependencies: true   # files, tools and imports that a step refers to
# safety:                # programs of your own that only read in some of their forms
#   - tool: npx go-gmail
#     read: ["* search *"]
#     examples: { read: [npx go-gmail a search x], write: [npx go-gmail a send x] }
`
