// What is measured, and how it is written for people.

/** Three digits that mean something, and no more. */
export const rounded = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))

const unit = (name) => ({ name, write: (value) => `${rounded(value)} ${name}` })

export const milliseconds = unit('ms')
export const perStep = unit('ms a step')
export const megabytes = unit('MB')
