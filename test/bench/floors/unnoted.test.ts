import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const REPLACED = [
  'telemetry/spans.ts',
  'jobs/notes/note-submission.ts',
  'server/metrics/measure-requests.ts',
  'db/watch-pool.ts',
]
/** Compares each stand-in's exports with those of its module. The hook knows only addresses without a query. */
const COMPARE = `
  const found = []
  for (const path of ${JSON.stringify(REPLACED)}) {
    const url = new URL('src/' + path, 'file://' + process.cwd() + '/').href
    const [floor, real] = [await import(url), await import(url + '?real')]
    const names = Object.keys(real)
    found.push({ path, lacks: names.filter((name) => !(name in floor)), differs: names.every((name) => String(floor[name]) !== String(real[name])) })
  }
  console.log(JSON.stringify(found))`

test('the floor of metrics and tracing has whatever the service imports of them, and none of it', async () => {
  const args = ['--import', './bench/floors/unnoted.ts', '--input-type=module', '--eval', COMPARE]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
  expect(JSON.parse(stdout)).toEqual(REPLACED.map((path) => ({ path, lacks: [], differs: true })))
})
