import { expect, test } from 'vitest'
import { summedDays } from '../../../src/console/credits/summed-days.ts'

const NOW = new Date(2026, 10, 26, 12).getTime()
const iso = (...local: [number, number, number, number?]) => new Date(...local).toISOString()
const said = (from: string, to?: string) => summedDays({ from, ...(to && { to }) }, NOW)?.replaceAll(/\s+/g, ' ')

test('the days that are summed are named, the last one whole, unless the range is shorter than a day or longer than a year', () => {
  expect([
    said(iso(2026, 9, 25, 12)),
    said(iso(2026, 9, 1), iso(2026, 10, 1)),
    said(iso(2026, 10, 25, 12)),
    said(iso(2026, 10, 26, 11)),
    said(iso(2026, 10, 25, 20), iso(2026, 10, 26, 4)),
    said(iso(2025, 9, 1)),
  ]).toEqual(['Oct 25 – Nov 26', 'Oct 1 – 31', 'Nov 25 – 26', undefined, undefined, undefined])
})
