const FORM =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,20}))?(?:([Zz])|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/
const MS_PER_MINUTE = 60_000

/**
 * A moment as RFC 3339 writes it, or a plain date, which is its midnight; no zone means UTC (contract.md section 3). What is finer than
 * a millisecond is rounded up: as a bound of times in whole milliseconds it then means the same. null: there is no such moment.
 */
export function parseMoment(text: string): Date | null {
  const [, date = '', time = '00:00:00', fraction = '', , sign, hours, minutes] = FORM.exec(text) ?? []
  const seconds = new Date(`${date}T${time}Z`)
  // JavaScript turns the 30th of February into the 2nd of March, and 24:00 into the next day.
  if (Number.isNaN(seconds.getTime()) || seconds.toISOString().slice(0, 19) !== `${date}T${time}`) return null
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  return new Date(seconds.getTime() + milliseconds(fraction) - offset * MS_PER_MINUTE)
}

const milliseconds = (fraction: string): number =>
  Number(fraction.padEnd(3, '0').slice(0, 3)) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0)
