/** Whom a step waits for: a person who does something, one who decides, or a driver. */
export type WaitsFor = 'person' | 'decision' | 'driver'
