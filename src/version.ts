// Put in by the build; `dev` when the sources run as they are.

declare const GIT_PLAN_VERSION: string | undefined

export const version = typeof GIT_PLAN_VERSION === 'string' ? GIT_PLAN_VERSION : 'dev'
