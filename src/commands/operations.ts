// Every command by its name: the command line and the library call them through this table and no other way. A command is loaded when it is
// called.

export const operations = {
  init: () => import('./init.ts').then((module) => module.init),
  new: () => import('./new.ts').then((module) => module.newPlan),
  edit: () => import('./edit.ts').then((module) => module.editPlan),
  check: () => import('./check.ts').then((module) => module.check),
  submit: () => import('./submit.ts').then((module) => module.submit),
  fetch: () => import('./fetch.ts').then((module) => module.fetch),
  approve: () => import('./approve.ts').then((module) => module.approve),
  reject: () => import('./reject.ts').then((module) => module.reject),
  start: () => import('./start.ts').then((module) => module.start),
  resume: () => import('./resume.ts').then((module) => module.resume),
  rollback: () => import('./rollback.ts').then((module) => module.rollback),
  replan: () => import('./replan.ts').then((module) => module.replan),
  rebase: () => import('./rebase.ts').then((module) => module.rebase),
  cancel: () => import('./cancel.ts').then((module) => module.cancel),
  clone: () => import('./clone.ts').then((module) => module.clone),
  finish: () => import('./finish.ts').then((module) => module.finish),
  delete: () => import('./delete.ts').then((module) => module.deletePlan),
  prune: () => import('./prune.ts').then((module) => module.prune),
  list: () => import('./list.ts').then((module) => module.list),
  status: () => import('./status.ts').then((module) => module.status),
  show: () => import('./show.ts').then((module) => module.show),
  log: () => import('./log.ts').then((module) => module.log),
  diff: () => import('./diff.ts').then((module) => module.diff),
  attempts: () => import('./attempts.ts').then((module) => module.attempts),
  report: () => import('./report.ts').then((module) => module.report),
  audit: () => import('./audit.ts').then((module) => module.audit),
  classify: () => import('./classify.ts').then((module) => module.classify),
  schema: () => import('./schema.ts').then((module) => module.schema),
  config: () => import('./config.ts').then((module) => module.config),
  completion: () => import('./completion.ts').then((module) => module.completion),
  hooks: () => import('./hooks.ts').then((module) => module.hooks),
  doctor: () => import('./doctor.ts').then((module) => module.doctor),
}

export type OperationName = keyof typeof operations
