import { signal } from '@preact/signals'
import { ask } from '../api/ask.ts'
import { isOperator } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { useEvery } from '../api/use-every.ts'
import { useQuery } from '../api/use-query.ts'
import { type NaturalVoiceQuery, naturalVoice, pullModel } from '../operations.ts'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { serviceCommand } from '../parts/service-command.ts'
import { toast } from '../parts/toast.tsx'

const KEY = 'sonant-natural-voice'
const MODEL = 'kokoro'
const POLL_MS = 1000
const MEGA = 1_000_000

const isPutAway = signal(readPutAway())

/** Offers operators a natural voice as long as the service has none, until this browser's user puts the line away. */
export function NaturalVoice({ onInstalled }: { onInstalled: () => void }) {
  return isOperator.value && !isPutAway.value ? <Offer onInstalled={onInstalled} /> : null
}

function Offer({ onInstalled }: { onInstalled: () => void }) {
  const query = useQuery(naturalVoice, {})
  const pull = useAction(async () => {
    const { pullModel: pulled } = await ask(pullModel, { name: MODEL })
    toast(`Kokoro is installed, as the endpoint ${pulled.endpoint?.name}.`)
    query.reload()
    onInstalled()
  })
  useEvery(POLL_MS, pull.isRunning, query.reload)
  if (query.data === null) return null
  const { models, endpoints } = query.data
  const isNatural = endpoints.nodes.some(({ settings }) => kindOf(settings?.engine) !== 'espeak')
  const model = models.find(({ name }) => name === MODEL)
  if (model === undefined || isNatural || models.some(({ isInstalled }) => isInstalled)) return null
  const all = model.sizeBytes ?? 0
  return (
    <section class="notice below-composer" aria-label="A natural voice">
      <Icon name="voices" />
      <div class="notice-body">
        <About model={model} />
        {pull.isRunning && <Progress done={model.downloadedBytes} all={all} />}
        {pull.failure !== null && (
          <p class="hint bad" role="alert">
            {pull.failure.message}
          </p>
        )}
      </div>
      {model.isPullable && (
        <button type="button" class="button small" disabled={pull.isOff} onClick={() => pull.run()}>
          {pull.isRunning ? 'Installing…' : 'Install Kokoro'}
        </button>
      )}
      <PutAway />
    </section>
  )
}

function About({ model }: { model: NaturalVoiceQuery['models'][number] }) {
  return (
    <>
      <p>
        All voices are robotic ones. Kokoro speaks English and Chinese naturally, without a GPU:{' '}
        {megabytes(model.sizeBytes ?? 0)} MB.
      </p>
      {!model.isPullable && (
        <>
          <p>No worker runs beside this API. Run this on the machine of each worker:</p>
          <pre>{serviceCommand(`models pull ${MODEL}`)}</pre>
        </>
      )}
      <a class="small-text" href={model.licenceUrl ?? ''}>
        Licence: {model.licence}
      </a>
    </>
  )
}

const PutAway = () => (
  <button
    type="button"
    class="button quiet small only-icon"
    aria-label="Do not offer this again"
    title="Do not offer this again"
    onClick={putAway}
  >
    <Icon name="close" size={14} />
  </button>
)

function Progress({ done, all }: { done: number; all: number }) {
  if (done >= all) return <p class="faint small-text">Unpacking it and having it speak: this takes a minute or two.</p>
  return (
    <p class="faint small-text">
      <progress class="bar" value={done} max={all} aria-label="Downloaded" /> {megabytes(done)} of {megabytes(all)} MB
    </p>
  )
}

const megabytes = (bytes: number): string => count(Math.round(bytes / MEGA))

const kindOf = (engine: unknown): unknown => (engine as { kind?: unknown } | null | undefined)?.kind

function putAway(): void {
  isPutAway.value = true
  try {
    localStorage.setItem(KEY, 'away')
  } catch {
    // Without storage it lasts as long as the page.
  }
}

function readPutAway(): boolean {
  try {
    return localStorage.getItem(KEY) === 'away'
  } catch {
    return false
  }
}
