import { parseArgs } from 'node:util'
import { fillAccount } from './fill-account.ts'
import type { RowResult } from './measure.ts'
import { HEAD, linesOf } from './report.ts'
import { saveResults } from './results-file.ts'
import { ROWS } from './rows.ts'
import { runRows } from './run-rows.ts'

const USAGE = `npm run bench -- [${ROWS.map(({ name }) => name).join('] [')}] [--json] [--quick] [--save] [--cases DIR]\nnpm run bench -- seed --jobs N [--account A]`
/** Several times what the longest row takes on a slow machine. */
const LIMIT_MINUTES = { whole: 30, quick: 10 }
const CLOSE_MS = 120_000

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
const interruption = new AbortController()
process.once('SIGINT', () => interrupt(130))
process.once('SIGTERM', () => interrupt(143))
await measure(ROWS.map(({ name }) => name).filter((name) => positionals.length === 0 || positionals.includes(name)))

function readArguments() {
  const options = {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    cases: { type: 'string' },
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

function interrupt(code: number): void {
  process.exitCode = code
  interruption.abort(new Error('interrupted'))
}

/** Each row prints its figures as it ends, so that an interrupted run keeps them. */
async function measure(names: readonly string[]): Promise<void> {
  const results: RowResult[] = []
  const print = (lines: readonly string[]) =>
    (values.json ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`)
  print(HEAD)
  const failed = await runRows(names, {
    script: new URL('./row-process.ts', import.meta.url),
    args: [...(values.quick ? ['--quick'] : []), ...(values.cases === undefined ? [] : ['--cases', values.cases])],
    limitMs: LIMIT_MINUTES[values.quick ? 'quick' : 'whole'] * 60_000,
    closeMs: CLOSE_MS,
    signal: interruption.signal,
    onEnd: (result) => {
      results.push(result)
      print(linesOf(result))
    },
  })
  if (values.save) saveResults(results, values.quick)
  if (values.json) process.stdout.write(`${JSON.stringify({ quick: values.quick, rows: results }, null, 2)}\n`)
  if (failed.length > 0) process.exitCode ??= 1
}
