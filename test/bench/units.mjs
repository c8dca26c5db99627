// Units of measurement, and how to print them.

/** Three significant digits. */
export const rounded = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))

const unit = (name) => ({ name, write: (value) => `${rounded(value)} ${name}` })

export const milliseconds = unit('ms')
export const perStep = unit('ms a step')
export const megabytes = unit('MB')
