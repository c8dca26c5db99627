// .plans/config.yml with every setting commented out. `init` writes it and the manual shows it.

export const configTemplate = `# Settings of all plans in this repository. They are read from the branch that plan.policyRef in git config names, or
# else from the remote's default branch. Every key is optional. To validate this file: git plan check .plans/config.yml
version: 1

# One #: the default. Two: an example of a setting that is off by default.
#
# limits:
#   steps: 100           # per plan
#   # timeout: 5m        # for steps without a timeout; default: none
#   # plan_timeout: 2h   # for all steps of a run together; default: none
#   output: 10mb         # per step
#   pause_every: 0       # pause after this many steps; 0: never
##  jobs: 4              # the most steps that may run at the same time
# stale_after: 30d       # undecided proposals become stale
# stalled_after: 30m     # runs on other machines without an update are stalled
# commit:
#   subject: "{title}"   # of the commit of a step; also {step} and {plan}, the ids
#   # subject: "chore(plan): {title}"
# rollback:
#   automatic: true      # reset the work tree after a failed step (false: --keep-tree)
#   keep: 30d            # retention period of attempts and logs
# finish:
#   mode: merge          # or squash, ff; the options of git plan finish override it
#   plan_file: keep      # drop: the base does not get .plans/<id>.md
# cache: true            # false: \`cache\` of steps has no effect
# bases: []              # branches that plans may start from; empty: any
# # bases: [main, "release/*"]
# approval:              # per risk level: none, local, signature, review, or these keys
#   low: { from: [local, signature, review], count: 1 }
#   # low: none
#   medium: { from: [local, signature, review], count: 1 }
#   high: { from: [local, signature, review], count: 1 }
#   # high: { from: [review], count: 1, not: [author, last-pusher] }
#   critical: { from: [local, signature, review], count: 1 }
#   # critical: { from: [review], count: 2, teams: [platform], codeowners: true }
#   # expires: 30d       # how long an approval is valid; default: forever
#   fixes: allow         # reapprove: edits by hand (--fix, --done) need a new approval
#   removals: reapprove  # allow: removing steps needs no new approval
#   result_review: reviewed   # approval of the result before finish; or required, none
#   effect_rollback: []  # who may roll back an external effect; empty: everybody
#   bots: []             # bots whose approvals are valid
#   # bots: ["@merge-bot[bot]"]
# teams: {}              # members, for approval; other teams are read from the forge
# # teams: { platform: [alice@example.com, "@alice"] }
# campaigns: {}          # whose campaigns may approve, with from: [campaign]
# # campaigns:
# #   platform: { repository: git@example.com:acme/plans.git, signers: .plans/signers }
# forges: {}             # self-hosted forges: github, gitlab, or gitea (also Forgejo)
# # forges: { git.example.com: { kind: gitlab }, "git.acme.org:8443": { kind: gitea } }
# require: []            # keys that every step must have: owner, files, criteria, tests
# risk:
#   critical: []         # more critical paths
#   # critical: ["infra/prod/**"]
# validation:            # checks before a plan runs
#   syntax: true         # files written by create and edit must parse
#   secrets: true        # in the plan and in the changes of each step
#   patterns: true       # dangerous commands
#   dependencies: true   # files, tools and imports that a step refers to
# safety: []             # your own programs that only read in some of their forms
# # safety:
# #   - tool: npx go-gmail
# #     read: ["* search *"]
# #     examples: { read: [npx go-gmail a search x], write: [npx go-gmail a send x] }
# agents: {}             # commands of agents, by the name that steps use
# # agents: { reviewer: ./scripts/review-agent.sh }
# guard:                 # tools of agents that are for running plans
#   tools: []            # as the agents name them, with *; programs; or write, shell
#   # tools: [write, "mcp__mail__*", kubectl]
#   without_plan: log    # deny: they are denied while no plan runs
# notify: {}             # who hears how a plan ends; see docs/notify.md
# # notify:
# #   on: [completed, failed, waiting, stalled, approved, rejected]   # the default
# #   bell: true
# #   desktop: true
# #   command: ./scripts/tell.sh
# #   webhook: https://example.com/hook   # or $NAME, a variable that contains it
# #   secret: $PLAN_SECRET                # signs the requests to the webhook
# #   slack: $SLACK_WEBHOOK
# #   timeout: 5s
`
