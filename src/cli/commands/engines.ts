import type { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { commandLine } from '../../values/program.ts'
import type { EngineCheck } from '../../voice/trials/try-engine.ts'
import type { EngineServerStatus, EngineStatus } from '../../worker/engines/engine-states.ts'
import { type Answer, operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const COLUMNS: readonly Column<EngineCheck>[] = [
  { head: 'endpoint', cell: ({ endpoint }) => endpoint },
  { head: 'engine', cell: ({ kind }) => kind },
  { head: 'server', cell: ({ server }) => server ?? 'this process' },
  { head: 'voices', cell: voicesCell },
  { head: 'speech', cell: speechCell },
]

export function addEngineCommands(program: Command): void {
  const engines = program.command('engines').description('speech engines and the servers behind them')

  operatorCommand(
    engines
      .command('list')
      .description(
        'say how each engine is at each of its servers, as the workers find it, and what to do where it fails',
      ),
    list,
    ['catalog'],
  )
  operatorCommand(
    engines
      .command('check')
      .description('have every engine list its voices and speak a sentence to this process; exits with 1 if one fails'),
    check,
    ['catalog'],
  )

  operatorCommand(
    engines
      .command('add')
      .description('ask a speech server what it is, have it speak a sentence, and apply an endpoint for it')
      .argument('<address>', 'such as http://gpu-1:8880')
      .option('--api-key-env <name>', "the environment variable that holds the server's key, here and at the workers")
      .option('--name <name>', 'name of the endpoint; without it after the model')
      .option('--model <model>', "one of the server's models; without it the first")
      .option('--voices <names>', 'names of voices as the server knows them, with commas between; without it all')
      .option('--dry-run', 'print the endpoint file, and apply nothing'),
    add,
    ['catalog', 'queue'],
  )
}

interface AddOptions {
  readonly apiKeyEnv?: string
  readonly name?: string
  readonly model?: string
  readonly voices?: string
  readonly dryRun?: boolean
}

async function add(ctx: ServiceContext, options: AddOptions, [address = '']: string[]): Promise<Answer> {
  const { proposeEngine } = await import('../../voice/trials/propose-engine.ts')
  const voices = options.voices?.split(',').map((voice) => voice.trim())
  const { source, server, kindName, slug, model } = await proposeEngine(ctx, { ...options, voices, address })
  if (source === null)
    throw invalidRequest(
      `Name ${model === null ? 'the model with --model' : 'voices with --voices'}: ${kindName} at ${server} lists none.`,
    )
  if (options.dryRun === true) return { json: { kind: kindName, server, source }, text: source.trimEnd() }
  const { hearEngine } = await import('../../voice/trials/hear-engine.ts')
  const { speech, problem } = await hearEngine(ctx, { source })
  if (speech === null) throw invalidRequest(`Nothing was applied. ${problem}`)
  const { applyEndpoints } = await import('../../catalog/apply-endpoints.ts')
  const { applied } = await applyEndpoints(ctx, { source, readAudio: async () => new Uint8Array() })
  const json = { kind: kindName, server, applied, speech_ms: speech.tookMs, audio_ms: speech.durationMs }
  return {
    json,
    text: [
      `${kindName} at ${server} spoke ${speechCell({ speech, error: null })}.`,
      `applied ${slug}`,
      `Speak with it: ${commandLine(`say "Hello!" --endpoint ${slug} -o hello.mp3`)}`,
    ].join('\n'),
  }
}

const LISTED: readonly Column<ListedServer>[] = [
  { head: 'endpoint', cell: ({ endpoint }) => endpoint },
  { head: 'engine', cell: ({ kind }) => kind },
  { head: 'server', cell: ({ address, host }) => host ?? address ?? 'workers' },
  { head: 'state', cell: ({ state }) => state },
  { head: 'in use', cell: ({ slots, slots_in_use }) => `${slots_in_use} of ${slots}` },
  { head: 'speech', cell: ({ speech_ms, audio_ms }) => spokenCell(speech_ms, audio_ms) },
  {
    head: 'error',
    cell: ({ error, advice }) => (error === null ? '' : `${error.replace(/([^.!?])$/, '$1.')} ${advice}`),
  },
]

type ListedServer = ReturnType<typeof toListed> & { readonly advice: string | null }

const toListed = ({ endpoint, pool }: EngineStatus, server: EngineServerStatus) => ({
  endpoint: endpoint.slug,
  kind: endpoint.engine.kind,
  pool,
  address: server.address,
  host: server.host,
  state: server.state,
  slots: server.slots,
  slots_in_use: server.slotsInUse,
  voices_offered: server.voicesOffered,
  voices_missing: server.voicesMissing,
  spoke_at: server.spokeAt,
  speech_ms: server.tookMs,
  audio_ms: server.audioMs,
  failure: server.failure,
  error: server.error,
  failing_since: server.failure === null ? null : server.failingSince,
})

async function list(ctx: Context): Promise<Answer> {
  const [{ engines }, { FAILURES }] = await Promise.all([
    import('../../worker/engines/engine-states.ts'),
    import('../../worker/engines/engine-failure.ts'),
  ])
  const all = await engines(ctx)
  const items = all.flatMap((engine) =>
    engine.servers.map((server) => ({
      ...toListed(engine, server),
      advice: server.failure && FAILURES[server.failure].advice,
    })),
  )
  return { json: { engines: items }, text: toTable(LISTED, items) }
}

async function check(ctx: Context): Promise<Answer> {
  const { checkEngines, isSound } = await import('../../voice/trials/try-engine.ts')
  const checks = await checkEngines(ctx)
  if (!checks.every(isSound)) process.exitCode = 1
  return { json: { engines: checks.map(toJson) }, text: toTable(COLUMNS, checks) }
}

const toJson = (check: EngineCheck) => ({
  endpoint: check.endpoint,
  kind: check.kind,
  server: check.server,
  voices_offered: check.offered,
  voices_missing: check.missing,
  speech_ms: check.speech?.tookMs ?? null,
  audio_ms: check.speech?.durationMs ?? null,
  error: check.error,
})

function voicesCell({ missing, offered }: EngineCheck): string {
  return missing.length > 0 ? `missing: ${missing.join(', ')}` : (offered?.toString() ?? 'not listed')
}

const spokenCell = (tookMs: number | null, audioMs: number | null): string =>
  tookMs === null || audioMs === null ? 'none yet' : `${seconds(audioMs)} of audio in ${seconds(tookMs)}`

function speechCell({ speech, error }: Pick<EngineCheck, 'speech' | 'error'>): string {
  if (speech === null) return error ?? 'ready at a worker'
  return spokenCell(speech.tookMs, speech.durationMs)
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
