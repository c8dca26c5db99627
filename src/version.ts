// Put in by the build; `dev` when the sources run as they are.

declare const GIT_PLAN_VERSION: string | undefined
declare const GIT_PLAN_BUILD: string | undefined

export const version = typeof GIT_PLAN_VERSION === 'string' ? GIT_PLAN_VERSION : 'dev'

/** Another one with every change of the sources: what one build has read of a plan another one may read differently, under the same version. */
export const build = typeof GIT_PLAN_BUILD === 'string' ? GIT_PLAN_BUILD : 'dev'
