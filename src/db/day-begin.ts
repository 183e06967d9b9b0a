/**
 * SQL of the first instant of a local day. Clocks that are put back at 01:00 show midnight twice, and PostgreSQL takes the later one.
 * @param midnight a timestamp without time zone @param zone the name of its time zone
 */
export function dayBegin(midnight: string, zone: string): string {
  const begin = `(${midnight}) at time zone ${zone}`
  const isSecond = `(${begin} - interval '1 hour') at time zone ${zone} = ${midnight}`
  return `(${begin} - case when ${isSecond} then interval '1 hour' else interval '0' end)`
}
