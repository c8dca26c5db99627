// Every command by its name: the command line and the library call them through this table and no other way. A command is loaded when it is
// called.

export const operations = {
  init: () => import('./propose/init.ts').then((module) => module.init),
  new: () => import('./propose/new.ts').then((module) => module.newPlan),
  edit: () => import('./propose/edit.ts').then((module) => module.editPlan),
  check: () => import('./propose/check.ts').then((module) => module.check),
  submit: () => import('./propose/submit.ts').then((module) => module.submit),
  fetch: () => import('./propose/fetch.ts').then((module) => module.fetch),
  approve: () => import('./propose/approve.ts').then((module) => module.approve),
  reject: () => import('./propose/reject.ts').then((module) => module.reject),
  start: () => import('./run/start.ts').then((module) => module.start),
  resume: () => import('./run/resume.ts').then((module) => module.resume),
  rollback: () => import('./run/rollback.ts').then((module) => module.rollback),
  replan: () => import('./run/replan.ts').then((module) => module.replan),
  rebase: () => import('./run/rebase.ts').then((module) => module.rebase),
  cancel: () => import('./finish/cancel.ts').then((module) => module.cancel),
  clone: () => import('./finish/clone.ts').then((module) => module.clone),
  finish: () => import('./finish/finish.ts').then((module) => module.finish),
  delete: () => import('./finish/delete.ts').then((module) => module.deletePlan),
  prune: () => import('./finish/prune.ts').then((module) => module.prune),
  list: () => import('./inspect/list.ts').then((module) => module.list),
  status: () => import('./inspect/status.ts').then((module) => module.status),
  show: () => import('./inspect/show.ts').then((module) => module.show),
  log: () => import('./inspect/log.ts').then((module) => module.log),
  diff: () => import('./inspect/diff.ts').then((module) => module.diff),
  attempts: () => import('./inspect/attempts.ts').then((module) => module.attempts),
  report: () => import('./inspect/report.ts').then((module) => module.report),
  audit: () => import('./inspect/audit.ts').then((module) => module.audit),
  classify: () => import('./utilities/classify.ts').then((module) => module.classify),
  schema: () => import('./utilities/schema.ts').then((module) => module.schema),
  config: () => import('./utilities/config.ts').then((module) => module.config),
  completion: () => import('./utilities/completion.ts').then((module) => module.completion),
  hooks: () => import('./utilities/hooks.ts').then((module) => module.hooks),
  doctor: () => import('./utilities/doctor.ts').then((module) => module.doctor),
}

export type OperationName = keyof typeof operations
