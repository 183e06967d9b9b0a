import { PREFIX } from '../../../src/telemetry/metrics.ts'
import { type Family, parseExposition, type Sample } from '../checks/exposition.ts'
import { call } from '../http.ts'
import { until } from '../wait.ts'

const TIMEOUT_MS = 60_000

type Labels = Readonly<Record<string, string>>

/** One exposition of a service's metrics. */
export interface Scraped {
  readonly text: string
  readonly families: ReadonlyMap<string, Family>
  /** Those of a metric, by its name without the prefix, that have the labels. */
  samples(name: string, labels?: Labels): readonly Sample[]
  /** Their sum: of a metric that nothing has noted it is 0. */
  value(name: string, labels?: Labels): number
}

/** @param metricsUrl where the metrics listen */
export async function scrape(metricsUrl: string): Promise<Scraped> {
  const { text } = await call(`${metricsUrl}/metrics`)
  const families = parseExposition(text)
  const samples = (name: string, labels: Labels = {}) => {
    const family = families.get(PREFIX + name.replace(/_(count|sum)$/, '')) ?? families.get(PREFIX + name)
    const fits = (one: Sample) => Object.entries(labels).every(([label, value]) => one.labels[label] === value)
    return family?.samples.filter((one) => one.name === PREFIX + name && fits(one)) ?? []
  }
  const value = (name: string, labels?: Labels) => samples(name, labels).reduce((sum, one) => sum + one.value, 0)
  return { text, families, samples, value }
}

/** Waits for what is asked of the database every 5 s, and of the worker at every scrape. */
export const scrapedWhen = (url: string, fits: (now: Scraped) => boolean, what: string): Promise<Scraped> =>
  until(
    async () => {
      const now = await scrape(url)
      return fits(now) ? now : undefined
    },
    TIMEOUT_MS,
    what,
  ) as Promise<Scraped>
