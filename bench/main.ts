import { parseArgs } from 'node:util'
import { openEnvironment } from './environment.ts'
import { fillAccount } from './fill-account.ts'
import type { Row, RowResult } from './measure.ts'
import { stopLaunched } from './process.ts'
import { tableOf } from './report.ts'
import { callbackBeside } from './rows/callback-beside.ts'
import { callbackLatency } from './rows/callback-latency.ts'
import { callbackRate } from './rows/callback-rate.ts'
import { captions } from './rows/captions.ts'
import { catalog } from './rows/catalog.ts'
import { inConsole } from './rows/console.ts'
import { door } from './rows/door.ts'
import { encoding } from './rows/encoding.ts'
import { firstAudio } from './rows/first-audio.ts'
import { graphqlJobs } from './rows/graphql-jobs.ts'
import { backup } from './rows/installation/backup.ts'
import { commands } from './rows/installation/commands.ts'
import { engineMemory } from './rows/installation/engine-memory.ts'
import { failover } from './rows/installation/failover.ts'
import { idle } from './rows/installation/idle.ts'
import { install } from './rows/installation/install.ts'
import { migrations } from './rows/installation/migrations.ts'
import { purge } from './rows/installation/purge.ts'
import { recovery } from './rows/installation/recovery.ts'
import { slowDisk } from './rows/installation/slow-disk.ts'
import { start } from './rows/installation/start.ts'
import { jobExport } from './rows/job-export.ts'
import { jobList } from './rows/job-list.ts'
import { live } from './rows/live.ts'
import { pickup } from './rows/pickup.ts'
import { crowd } from './rows/queue/crowd.ts'
import { pipeline, slots } from './rows/queue/drain.ts'
import { pipelineDelivered } from './rows/queue/drain-delivered.ts'
import { jobCost } from './rows/queue/job-cost.ts'
import { oneAccount } from './rows/queue/one-account.ts'
import { peers } from './rows/queue/peers.ts'
import { render } from './rows/render.ts'
import { slowReaders } from './rows/slow-readers.ts'
import { statistics } from './rows/statistics.ts'
import { statisticsReaders } from './rows/statistics-readers.ts'
import { submit, submitIdempotent } from './rows/submit.ts'
import { tracing } from './rows/tracing.ts'
import { transcodings } from './rows/transcodings.ts'

/** In the order of the report. */
const ROWS: readonly Row[] = [
  pickup,
  submit,
  submitIdempotent,
  tracing,
  catalog,
  jobList,
  graphqlJobs,
  statistics,
  statisticsReaders,
  live,
  jobExport,
  slowReaders,
  render,
  start,
  commands,
  idle,
  engineMemory,
  install,
  firstAudio,
  door,
  encoding,
  transcodings,
  captions,
  inConsole,
  callbackLatency,
  callbackRate,
  callbackBeside,
  pipeline,
  pipelineDelivered,
  jobCost,
  slots,
  oneAccount,
  slowDisk,
  peers,
  recovery,
  failover,
  crowd,
  migrations,
  backup,
  purge,
]
const USAGE = `npm run bench -- [${ROWS.map(({ name }) => name).join('] [')}] [--json] [--quick]\nnpm run bench -- seed --jobs N [--account A]`

const { values, positionals } = readArguments()
if (positionals[0] === 'seed') {
  await fillAccount(process.env, values.account, Number(values.jobs)).then(
    (filled) => process.stdout.write(`${filled}\n`),
    (error: Error) => refuse(error.message),
  )
  process.exit()
}
const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name))
if (unknown.length > 0) refuse(`There is no row ${unknown.join(', ')}.`)
const environment = openEnvironment(values.quick)
let ending: Promise<never> | undefined
process.once('SIGINT', () => void end(130))
process.once('SIGTERM', () => void end(143))
// A row's promise that nothing waits for rejects to here as well. What fails because all is closed at present says nothing.
process.on('uncaughtException', (error) => {
  if (ending === undefined) process.stderr.write(`${error.stack}\n`)
  void end(1)
})
process.once('exit', stopLaunched)
try {
  const results = await runRows(positionals.length === 0 ? ROWS : ROWS.filter(({ name }) => positionals.includes(name)))
  process.stdout.write(
    values.json ? `${JSON.stringify({ quick: values.quick, rows: results }, null, 2)}\n` : `${tableOf(results)}\n`,
  )
} finally {
  await environment.close()
}

function readArguments() {
  const options = {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    jobs: { type: 'string' },
    account: { type: 'string', default: 'seed' },
  } as const
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(reason: string): never {
  process.stderr.write(`${reason}\n${USAGE}\n`)
  process.exit(1)
}

function end(code: number): Promise<never> {
  ending ??= exit(code)
  return ending
}

/** Nothing opens once the environment closes; what starts at present does not have to be ready first. */
async function exit(code: number): Promise<never> {
  const outcomes = await Promise.allSettled([environment.close(), stopLaunched()])
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') process.stderr.write(`not closed: ${outcome.reason.message}\n`)
  process.exit(code)
}

/** One after the other, each in a scope of its own: nothing that one has started runs next to a later one. */
async function runRows(rows: readonly Row[]): Promise<RowResult[]> {
  const results: RowResult[] = []
  for (const row of rows) {
    if (ending !== undefined) break
    process.stderr.write(`${row.name}: ${row.what} (${row.reach})\n`)
    results.push(await resultOf(row))
  }
  return results
}

/** A row that cannot be measured, or does not close what it opened, says so in its notes, fails the run, and does not stop the others. */
async function resultOf(row: Row): Promise<RowResult> {
  const failed = (what: string) => (error: unknown) => {
    process.exitCode = 1
    return `${what}: ${error instanceof Error ? error.message : String(error)}`
  }
  const scope = environment.scope()
  const result = await row
    .run(scope)
    .catch((error): RowResult => ({ name: row.name, measures: [], notes: [failed('not measured')(error)] }))
  const unclosed = await scope.close().then(
    () => [],
    (error) => [failed('not closed')(error)],
  )
  return { ...result, notes: [...result.notes, ...unclosed] }
}
