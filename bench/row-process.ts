import { openEnvironment } from './environment.ts'
import { stopLaunched } from './process.ts'
import { ROWS } from './rows.ts'
import type { RowPart } from './run-rows.ts'

// Measures one row and sends it to the process that has started this one, with an environment that ends with it.
const row = ROWS.find(({ name }) => name === process.argv[2])!
process.stderr.write(`${row.name}: ${row.what} (${row.reach})\n`)
const environment = openEnvironment({ quick: process.argv.includes('--quick'), cases: casesGiven() })
let ending: Promise<never> | undefined
process.once('SIGINT', () => void end(130))
process.once('SIGTERM', () => void end(143))
process.once('disconnect', () => void end(1))
// Unhandled rejections of the row arrive here too. Errors that closing causes are ignored.
process.on('uncaughtException', (error) => void fail('not measured', error))
process.once('exit', stopLaunched)
try {
  await send(await row.run(environment))
  await end(0)
} catch (error) {
  await fail('not measured', error)
}

/** A row that cannot be measured, or does not close what it opened, says so in its notes. */
async function fail(what: string, error: unknown): Promise<void> {
  if (ending === undefined)
    await send({ measures: [], notes: [`${what}: ${error instanceof Error ? error.message : String(error)}`] })
  await end(1)
}

function casesGiven(): string | null {
  const at = process.argv.indexOf('--cases')
  return at === -1 ? null : process.argv[at + 1]!
}

function end(code: number): Promise<never> {
  ending ??= exit(code)
  return ending
}

/** Closes the environment, also while a process of it still starts. */
async function exit(code: number): Promise<never> {
  const outcomes = await Promise.allSettled([environment.close(), stopLaunched()])
  const notes = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [`not closed: ${outcome.reason.message}`] : [],
  )
  if (notes.length > 0) await send({ measures: [], notes })
  process.exit(code === 0 && notes.length > 0 ? 1 : code)
}

function send(part: RowPart): Promise<void> {
  return new Promise((resolve) => process.send!(part, () => resolve()))
}
