import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// Loaded before the service: it then runs without tracing, and without metrics in what a submission passes through.

const [NO_SPANS, NO_METRICS] = ['no-spans.ts', 'no-metrics.ts'].map((name) => new URL(name, import.meta.url).href)
const INSTEAD = new Map(
  [
    ['telemetry/spans.ts', NO_SPANS],
    ['jobs/notes/note-submission.ts', NO_METRICS],
    ['server/metrics/measure-requests.ts', NO_METRICS],
    ['db/watch-pool.ts', NO_METRICS],
  ].map(([path, url]) => [new URL(`../../src/${path}`, import.meta.url).href, url]),
)

// A floor in which one of them has another name by now would be the service itself.
for (const url of INSTEAD.keys()) if (!existsSync(fileURLToPath(url))) throw new Error(`${url} is not there any more`)

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    const url = INSTEAD.get(found.url)
    return url === undefined ? found : { ...found, url }
  },
})
