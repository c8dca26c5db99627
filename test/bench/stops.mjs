// Why a side comes to no figure, other than by a mistake.

/** Thrown by a subject that cannot be measured on this machine; the table says why, and nothing fails. */
export class NotMeasured extends Error {}

/** Thrown when a program was ended by Ctrl-C: everything ends then, and what was made is removed. */
export class Interrupted extends Error {}
