import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeWav } from '../../../src/audio/wav.ts'
import { signDelivery } from '../../../src/webhooks/signing.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { atMost, median, type Row } from '../../measure.ts'
import { environmentOf, ROOT, type Variables } from '../../process.ts'

const { seconds: MOST_SECONDS } = GOALS.commands
const ROUNDS = 7
const QUICK_ROUNDS = 3
const run = promisify(execFile)

/** Names the account that `environment.database()` makes. */
const OWN = ['--account', 'bench']
const DAY = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-12-31T00:00:00Z']
const HOOK = 'https://hooks.example.com/bench'
const LEXICON = { entries: [{ grapheme: 'SQL', alias: 'sequel' }] }
/** Its server is not there: its jobs fail. */
const DOWN = {
  slug: 'down',
  name: 'Down',
  published: true,
  voice_input: 'voice',
  inputs: {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1, maxLength: 500 }, voice: { type: 'string', enum: ['v'] } },
    required: ['text', 'voice'],
    additionalProperties: false,
  },
  engine: { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'm' },
  time_limit_seconds: 10,
  credits_per_character: 1,
  voices: [{ slug: 'v', name: 'V', description: 'V', kind: 'preset', engine_voice: 'v' }],
}

/** A delivery, and what it was signed with. */
const SECRET = Buffer.alloc(32, 1)
const SENT_AT = new Date('2026-01-01T00:00:00Z')
const BODY = '{"event":"bench"}'
/** A second of a tone. */
const SAMPLES = Int16Array.from({ length: 22_050 }, (_, n) => 8_000 * Math.sin(n / 10))
const SAMPLE_RATE = 22_050

type Answer = Readonly<Record<string, string>>

/** Input of a round's commands: what was prepared, and the answers of earlier commands by their words, as `keys create`. */
interface Given {
  readonly round: number
  readonly files: Readonly<Record<'endpoint' | 'lexicon' | 'recording' | 'delivery', string>>
  readonly failedJob: string
  readonly answers: Map<string, Answer>
}

type Arguments = (given: Given) => readonly string[]

const own: Arguments = () => OWN
/** One that `accounts create` has made: jobs of the other one have no webhook to wait for. */
const another: Arguments = ({ round }) => ['--account', `bench ${round}`]
const bare: Arguments = () => []
const spoken: Arguments = ({ answers }) => [answers.get('say')!.job_id!]
const voice: Arguments = ({ answers }) => [answers.get('voices add')!.voice_id!, ...OWN]
const user: Arguments = ({ round }) => [`${round}@bench.example.com`]

/** While the endpoint of the failed job is there. */
const AGAIN: ReadonlyMap<string, Arguments> = new Map<string, Arguments>([
  ['jobs retry', ({ failedJob }) => [failedJob]],
  ['jobs cancel', ({ answers }) => [answers.get('jobs retry')!.job_id!]],
])

/**
 * All but those that last as long as their work or until they are stopped (services, `backup`, `restore`, `webhooks listen`), those that take
 * no longer than `--help` (`completion`), and two that need what is not there yet: `webhooks redeliver` a delivery that has failed, `secrets
 * rekey` another SECRET_KEY.
 */
const COMMANDS: ReadonlyMap<string, Arguments> = new Map<string, Arguments>([
  ['doctor', bare],
  ['engines check', bare],
  ['say', () => ['One sentence.', ...OWN, '-o', '/dev/null']],
  ['jobs show', spoken],
  ['jobs watch', spoken],
  ['jobs list', own],
  ['jobs export', () => [...OWN, ...DAY, '-o', '/dev/null']],
  ['jobs delete', spoken],
  ['accounts list', bare],
  ['accounts show', own],
  ['accounts create', ({ round }) => ['--name', `bench ${round}`, '--credits', '1']],
  ['accounts credit', () => [...OWN, '--amount', '1']],
  ['keys list', own],
  ['keys create', () => [...OWN, '--name', 'bench']],
  ['keys delete', ({ answers }) => [answers.get('keys create')!.api_key_id!]],
  ['users create', (given) => [...OWN, '--email', ...user(given)]],
  ['users list', own],
  ['users set-password', user],
  ['users sign-in-link', user],
  ['users set-operator', user],
  ['users disable', user],
  ['users enable', user],
  ['audit', bare],
  ['endpoints list', bare],
  ['endpoints show', () => ['tts']],
  ['endpoints apply', ({ files }) => [files.endpoint]],
  ['endpoints delete', () => ['down']],
  ['workflows list', bare],
  ['workers list', bare],
  ['voices add', ({ files }) => [files.recording, ...OWN, '--name', 'bench', '--consent', 'It is a tone.']],
  ['voices list', own],
  ['voices rename', (given) => [...voice(given), 'Bench']],
  ['voices delete', voice],
  ['lexicon set', ({ files }) => [files.lexicon, ...OWN]],
  ['lexicon show', own],
  ['webhooks set-url', (given) => [HOOK, ...another(given)]],
  ['webhooks rotate', another],
  ['webhooks test', another],
  ['webhooks deliveries', another],
  [
    'webhooks verify',
    ({ files }) => [files.delivery, '--secret', `whsec_${SECRET.toString('base64')}`, '--at', SENT_AT.toISOString()],
  ],
  ['storage check', bare],
  ['migrate', bare],
])

/**
 * Every command of the operator next to a service that runs, from its spawn to its end, in turns. The floor is a process of Node.js with one
 * statement over a connection of its own.
 */
export const commands: Row = {
  name: 'commands',
  what: "the operator's commands next to a service that runs",
  reach: `<= ${MOST_SECONDS} s each`,
  run: async (environment) => {
    const { url } = await environment.database()
    const variables = { DATA_DIR: await environment.dataDir(), LOG_LEVEL: 'warn' }
    await environment.serve('start')
    const rounds = environment.quick ? QUICK_ROUNDS : ROUNDS
    const given = await prepare(environment)
    const again = await timed(AGAIN, rounds, given, variables)
    await environment.sonant('endpoints', 'delete', 'down')
    const floors = await inTurn(rounds, () => seconds(['bench/floors/one-query.ts'], { DATABASE_URL: url }))
    const all = [...(await timed(COMMANDS, rounds, given, variables)), ...again]
    const floor = median(floors)
    const measures = all.map(([what, times]) => atMost(what, 's', median(times), MOST_SECONDS, floor))
    return { name: 'commands', measures, notes: [] }
  },
}

async function prepare(environment: Environment): Promise<Omit<Given, 'round'>> {
  const directory = await environment.directory()
  const contents = {
    endpoint: JSON.stringify({ endpoints: [DOWN] }),
    lexicon: JSON.stringify(LEXICON),
    recording: writeWav(SAMPLES, SAMPLE_RATE),
    delivery: captured(),
  }
  const files = await writeAll(directory, contents)
  await environment.sonant('endpoints', 'apply', files.endpoint)
  await environment.sonant('say', 'Nobody hears this.', '--endpoint', 'down', ...OWN).catch(() => undefined)
  const { jobs } = await environment.sonant<{ jobs: readonly Answer[] }>('jobs', 'list', ...OWN)
  return { files, failedJob: jobs[0]!.job_id!, answers: new Map() }
}

/** As `webhooks verify` reads it. */
function captured(): string {
  const at = String(SENT_AT.getTime() / 1000)
  const signature = signDelivery([SECRET], 'msg_bench', at, Buffer.from(BODY))
  return `webhook-id: msg_bench\nwebhook-timestamp: ${at}\nwebhook-signature: ${signature}\n\n${BODY}`
}

/** Each into a file of its own; returns their names. */
async function writeAll<Name extends string>(
  directory: string,
  contents: Readonly<Record<Name, string | Uint8Array>>,
): Promise<Record<Name, string>> {
  const names = Object.keys(contents) as Name[]
  await Promise.all(names.map((name) => writeFile(join(directory, name), contents[name])))
  return Object.fromEntries(names.map((name) => [name, join(directory, name)])) as Record<Name, string>
}

/** Round by round, so that what else the machine does hits all of them alike. */
async function timed(
  list: ReadonlyMap<string, Arguments>,
  rounds: number,
  given: Omit<Given, 'round'>,
  variables: Variables,
): Promise<[string, number[]][]> {
  const times = new Map<string, number[]>([...list.keys()].map((words) => [words, []]))
  await inTurn(rounds, async (round) => {
    for (const [words, argumentsOf] of list) {
      const line = ['bin/sonant.js', ...words.split(' '), ...argumentsOf({ ...given, round }), '--json']
      const took = await seconds(line, variables, (answer) => given.answers.set(words, answer))
      times.get(words)!.push(took)
    }
  })
  return [...times]
}

async function inTurn<T>(rounds: number, work: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let round = 0; round < rounds; round++) results.push(await work(round))
  return results
}

/** @throws Error where it ends with another status than 0 */
async function seconds(
  args: readonly string[],
  variables: Variables,
  take?: (answer: Answer) => void,
): Promise<number> {
  const since = performance.now()
  const { stdout } = await run(process.execPath, args, { cwd: ROOT, env: environmentOf(variables) })
  const took = (performance.now() - since) / 1000
  if (take !== undefined) take(JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Answer)
  return took
}
