import type { Command } from 'commander'
import type { ListedModel } from '../../models/installed-models.ts'
import type { Pulled, PullInput } from '../../models/pull-model.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { commandLine } from '../../values/program.ts'
import { type Answer, operatorCommand, withInterruption } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const MEGA = 1_000_000

const COLUMNS: readonly Column<ListedModel>[] = [
  { head: 'name', cell: ({ name }) => name },
  { head: 'languages', cell: ({ languages }) => languages.join(', ') || null },
  { head: 'voices', cell: ({ voices, needsRecording }) => (needsRecording ? 'by recording' : voices.length || null) },
  { head: 'MB', cell: ({ sizeBytes }) => (sizeBytes === null ? null : Math.round(sizeBytes / MEGA)) },
  { head: 'quality', cell: ({ quality }) => quality },
  { head: 'speed', cell: ({ speed }) => speed },
  {
    head: 'licence',
    cell: ({ licence }) => (licence?.restriction === undefined ? (licence?.name ?? null) : `${licence.name} *`),
  },
  { head: 'installed', cell: ({ isInstalled }) => (isInstalled ? 'yes' : 'no') },
  { head: 'link', cell: ({ licence }) => licence?.url ?? null },
]

interface PullOptions {
  readonly from?: string
  readonly acceptLicence?: boolean
  readonly json?: boolean
}

export function addModelCommands(program: Command): void {
  const models = program.command('models').description('natural voices for the processor: models of sherpa-onnx')
  operatorCommand(
    models.command('list').description('list the models that can be had, and those that are installed here'),
    async (ctx) => {
      const { models: listModels } = await import('../../models/installed-models.ts')
      const all = await listModels(ctx)
      const note = '\n* restricted: a pull needs --accept-licence, and says why'
      return { json: all.map(toItem), text: `${toTable(COLUMNS, all)}${note}` }
    },
    ['catalog'],
  )
  operatorCommand<PullOptions>(
    models
      .command('pull')
      .description('download a model, check and unpack it, have it speak, and apply an endpoint with its voices')
      .argument('[name]', 'as `models list` has it; not needed with --from')
      .option('--from <archive>', 'a .tar.bz2, as a file or an http(s) URL; further files of the model lie beside it')
      .option('--accept-licence', 'the licence of the model is restricted, and you may use it'),
    pull,
    ['catalog', 'queue'],
  )
  operatorCommand(
    models
      .command('remove')
      .description('delete a model of this machine, and the endpoint that its pull applied')
      .argument('<name>'),
    async (ctx, _options, [name = '']) => {
      const { removeModel } = await import('../../models/installed-models.ts')
      const { directory, endpoints } = await removeModel(ctx, { name })
      return {
        json: { name, directory, endpoints },
        text: [`deleted ${directory}`, ...endpoints.map((slug) => `deleted the endpoint ${slug}`)].join('\n'),
      }
    },
    ['catalog'],
  )
}

const toItem = ({ licence, needsRecording, quality, speed, sizeBytes, isInstalled, ...model }: ListedModel) => ({
  ...{ name: model.name, languages: model.languages, voices: model.voices, needs_recording: needsRecording },
  ...{ licence: licence?.name ?? null, licence_url: licence?.url ?? null, restriction: licence?.restriction ?? null },
  ...{ quality, speed, size_bytes: sizeBytes, installed: isInstalled },
})

async function pull(ctx: ServiceContext, options: PullOptions, [name]: readonly string[]): Promise<Answer> {
  const { pullModel } = await import('../../models/pull-model.ts')
  const progress = await startProgress(options)
  const { from, acceptLicence = false } = options
  const pulled = await withInterruption(
    (signal) => pullModel(ctx, { name, from, acceptLicence, signal, onProgress: progress.show }),
    'Interrupted: nothing was installed. The next pull goes on with what has come.',
  ).finally(progress.stop)
  return { json: toPulled(pulled), text: linesOf(pulled).join('\n'), warnings: pulled.warnings }
}

const sayCommand = ({ endpoint }: Pulled): string | null =>
  endpoint === null ? null : commandLine(`say "Hello! This is a natural voice." --endpoint ${endpoint} -o hello.mp3`)

const toPulled = (pulled: Pulled) => ({
  ...{ name: pulled.name, directory: pulled.directory, endpoint: pulled.endpoint, new: pulled.isNew },
  ...{ sha256: pulled.sha256, pinned_in: pulled.pin, command: sayCommand(pulled) },
  spoken:
    pulled.heard?.map(({ language, voice, audioMs, tookMs }) => ({
      language,
      voice,
      audio_ms: audioMs,
      took_ms: tookMs,
    })) ?? null,
  ...(pulled.warnings.length > 0 && { warnings: pulled.warnings }),
})

function linesOf(pulled: Pulled): string[] {
  const { name, directory, pin, heard, isNew } = pulled
  const command = sayCommand(pulled)
  const pinned = `No checksum of it is published: this pull keeps the one of what it got, in ${pin}, and later pulls compare.`
  const own =
    heard === null
      ? 'Pull it again once the library is there: its endpoint lists the voices that the model has.'
      : 'It has no voice of its own and no endpoint yet: apply one with a recording that it speaks like (docs/voices.md, "Voices of recordings").'
  return [
    isNew ? `${name} is installed in ${directory}` : `${name} is here already, in ${directory}`,
    ...(pin === null ? [] : [pinned]),
    ...(heard ?? []).map(
      ({ language, voice, audioMs, tookMs }) => `${language}: ${voice} spoke ${seconds(audioMs)} in ${seconds(tookMs)}`,
    ),
    command ?? own,
  ]
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

interface Progress {
  readonly show: NonNullable<PullInput['onProgress']>
  readonly stop: () => void
}

async function startProgress({ json }: PullOptions): Promise<Progress> {
  if (json === true || !process.stderr.isTTY) return { show: () => undefined, stop: () => undefined }
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '{step} {bar} {percentage}%  {mega} of {all} MB',
    stream: process.stderr,
    clearOnComplete: true,
  })
  let current = ''
  const show: Progress['show'] = (step, done, total = done) => {
    const shown = { step: step.padEnd('download'.length), mega: Math.round(done / MEGA), all: Math.round(total / MEGA) }
    if (step === current) return bar.update(done, shown)
    if (current !== '') bar.stop()
    current = step
    bar.start(total, done, shown)
  }
  return { show, stop: () => bar.stop() }
}
