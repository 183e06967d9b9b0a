/** The beginning of a day of this browser's time zone, by which the service groups as well. */
export const dayBefore = (days: number, now = new Date()): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)

interface Grouped {
  readonly day?: string | null
}

/** The groups of the last days, oldest first. By their dates: where a clock is put back at midnight, a day has two beginnings. */
export function byDay<T extends Grouped>(groups: readonly T[], count: number, now = new Date()) {
  const known = new Map(groups.map((group) => [new Date(group.day ?? Number.NaN).toDateString(), group]))
  return Array.from({ length: count }, (_, index) => {
    const day = dayBefore(count - 1 - index, now)
    return { day, group: known.get(day.toDateString()) }
  })
}
