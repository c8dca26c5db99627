/** The options of `git plan fleet`, as keys. */
export interface FleetOptions {
  readonly words?: readonly string[]
  readonly campaign?: string
  readonly control?: string
  readonly engine?: string
  readonly jobs?: number
  readonly param?: readonly string[]
  readonly approve?: boolean
  readonly sign?: boolean
  readonly digest?: string
  readonly wave?: readonly string[]
  readonly maxFailures?: number
  readonly limit?: readonly string[]
  readonly failed?: boolean
  readonly rebase?: boolean
  readonly drain?: boolean
  readonly textfile?: string
  readonly message?: string
}
