const whole = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })

const MINUTE_S = 60
const HOUR_S = 3600
const DAY_S = 86_400
const MONTH_S = 30 * DAY_S

/** With a minus sign that is as wide as a plus. */
export const count = (value: number): string => whole.format(value).replace('-', '−')
export const shortCount = (value: number): string => (value < 10_000 ? whole.format(value) : compact.format(value))
/** All of it, or none, is said of nothing else. */
export const share = (value: number): string =>
  percent.format(value > 0 && value < 1 ? Math.min(0.999, Math.max(0.001, value)) : value)
export const exactTime = (iso: string): string => exact.format(new Date(iso))
export const dayOf = (iso: string): string => day.format(new Date(iso))
export const clockTime = (iso: string): string => clock.format(new Date(iso))

/** "3 min. ago"; a time ahead of this clock by a little is now. */
export function ago(iso: string, now: number): string {
  const seconds = Math.min(0, (Date.parse(iso) - now) / 1000)
  if (seconds > -5) return 'now'
  if (seconds > -MINUTE_S) return relative.format(Math.round(seconds), 'second')
  if (seconds > -HOUR_S) return relative.format(Math.round(seconds / MINUTE_S), 'minute')
  if (seconds > -DAY_S) return relative.format(Math.round(seconds / HOUR_S), 'hour')
  if (seconds > -MONTH_S) return relative.format(Math.round(seconds / DAY_S), 'day')
  return dayOf(iso)
}

/** Milliseconds as a reader says them: <1 ms, 240 ms, 3.4 s, 2 min 5 s, 1 h 3 min. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  const value = Math.max(0, ms)
  if (value === 0) return '0 s'
  if (value < 1) return '<1 ms'
  if (value < 999.5) return `${Math.round(value)} ms`
  const seconds = value / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const rounded = Math.round(seconds)
  if (rounded < MINUTE_S) return `${rounded} s`
  if (rounded < HOUR_S) return joined(rounded, MINUTE_S, 'min', 1, 's')
  return joined(Math.round(rounded / MINUTE_S), MINUTE_S, 'h', 1, 'min')
}

function joined(total: number, unit: number, name: string, rest: number, restName: string): string {
  const left = (total % unit) / rest
  return left === 0 ? `${Math.floor(total / unit)} ${name}` : `${Math.floor(total / unit)} ${name} ${left} ${restName}`
}

/** 1:05, as players say it. */
export function playTime(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–:––'
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`
  if (value < 1024 ** 2) return `${(value / 1024).toFixed(1)} KiB`
  return `${(value / 1024 ** 2).toFixed(1)} MiB`
}

/** `job_01m8…zc123q`: the beginning says what it is, the end tells it from its neighbours. */
export const shortId = (id: string): string =>
  id.length <= 16 ? id : `${id.slice(0, id.indexOf('_') + 5)}…${id.slice(-6)}`

/** A name in a sentence, which it does not turn around: what it says of the direction of writing ends with it. As `<bdi>` does, in strings. */
export const isolated = (name: string): string => `\u2068${name}\u2069`

/** The part of a name that a user can type: no invisible characters, single spaces. May be empty. */
export const typable = (name: string): string =>
  name
    .replace(/[\p{Cf}\p{DI}]/gu, '')
    .replace(/[\s\u2800]+/g, ' ')
    .trim()
    .normalize()

const LETTERS = new Intl.Segmenter('en')

/** The first letter of a name as it is read: with its marks, and of what is visible. */
export function initial(name: string): string {
  const [first] = LETTERS.segment(name.replace(/^[\s\p{Cf}]+/u, ''))
  return (first?.segment ?? '').toUpperCase()
}

/** `COMPANION_CHAT` as words. */
export const words = (name: string): string => name.toLowerCase().replaceAll('_', ' ')
export const sentence = (name: string): string => words(name).replace(/^\w/, (first) => first.toUpperCase())
