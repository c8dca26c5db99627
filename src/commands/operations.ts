// Every command by its name: the command line and the library call them through this table and no other way. What belongs together is
// loaded together, when one of it is called: a file costs more than what is in it. One more command: a file here, a line in reading.ts or changing.ts, a line below.

const reading = () => import('./reading.ts')
const changing = () => import('./changing.ts')

export const operations = {
  init: () => changing().then((module) => module.init),
  new: () => changing().then((module) => module.newPlan),
  edit: () => changing().then((module) => module.editPlan),
  check: () => changing().then((module) => module.check),
  submit: () => import('./submit.ts').then((module) => module.submit),
  fetch: () => import('./fetch.ts').then((module) => module.fetch),
  approve: () => changing().then((module) => module.approve),
  reject: () => changing().then((module) => module.reject),
  start: () => changing().then((module) => module.start),
  resume: () => changing().then((module) => module.resume),
  rollback: () => changing().then((module) => module.rollback),
  replan: () => changing().then((module) => module.replan),
  rebase: () => changing().then((module) => module.rebase),
  cancel: () => changing().then((module) => module.cancel),
  clone: () => changing().then((module) => module.clone),
  finish: () => changing().then((module) => module.finish),
  delete: () => changing().then((module) => module.deletePlan),
  prune: () => changing().then((module) => module.prune),
  list: () => reading().then((module) => module.list),
  status: () => reading().then((module) => module.status),
  show: () => reading().then((module) => module.show),
  log: () => reading().then((module) => module.log),
  diff: () => reading().then((module) => module.diff),
  attempts: () => reading().then((module) => module.attempts),
  report: () => reading().then((module) => module.report),
  audit: () => import('./audit.ts').then((module) => module.audit),
  classify: () => import('./classify.ts').then((module) => module.classify),
  schema: () => import('./schema.ts').then((module) => module.schema),
  config: () => reading().then((module) => module.config),
  completion: () => import('./completion.ts').then((module) => module.completion),
  hooks: () => import('./hooks.ts').then((module) => module.hooks),
  doctor: () => import('./doctor.ts').then((module) => module.doctor),
}

export type OperationName = keyof typeof operations
