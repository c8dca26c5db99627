// Reasons other than a mistake why a side has no figure.

/** Thrown by a subject that cannot be measured on this machine; the table shows the reason, and nothing fails. */
export class NotMeasured extends Error {}

/** Thrown when a program was ended by Ctrl-C: everything stops, and temporary files are removed. */
export class Interrupted extends Error {}
