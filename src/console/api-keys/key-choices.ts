export const DEFAULT_SCOPES: readonly string[] = ['generate:voice', 'job:read']

const DAY_MS = 86_400_000

/** For how many days a new key may be good. */
export const LIFETIMES: Readonly<Record<string, string>> = {
  '7': 'In 7 days',
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In a year',
}

export const lifetimeEnd = (days: string, now: number): string => new Date(now + Number(days) * DAY_MS).toISOString()
