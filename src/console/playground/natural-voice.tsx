import { signal } from '@preact/signals'
import { isOperator } from '../api/session.ts'
import { Icon } from '../parts/icon.tsx'
import { Installation, InstallButton, KokoroCommand, megabytes, useKokoro } from './kokoro.tsx'

const KEY = 'sonant-natural-voice'

const isPutAway = signal(readPutAway())

/** Offers operators a natural voice as long as the service has none, until this browser's user puts the line away. */
export function NaturalVoice({ onInstalled }: { onInstalled: () => void }) {
  return isOperator.value && !isPutAway.value ? <Offer onInstalled={onInstalled} /> : null
}

function Offer({ onInstalled }: { onInstalled: () => void }) {
  const { data, model, pull } = useKokoro(onInstalled)
  if (data === null) return null
  const isNatural = data.endpoints.nodes.some(({ settings }) => kindOf(settings?.engine) !== 'espeak')
  if (model === undefined || isNatural || data.models.some(({ isInstalled }) => isInstalled)) return null
  return (
    <section class="notice below-composer" aria-label="A natural voice">
      <Icon name="voices" />
      <div class="notice-body">
        <p>
          All voices are robotic ones. Kokoro speaks English and Chinese naturally, without a graphics card:{' '}
          {megabytes(model.sizeBytes ?? 0)} MB.
        </p>
        {!model.isPullable && <KokoroCommand />}
        <a class="small-text" href={model.licenceUrl ?? ''}>
          Licence: {model.licence}
        </a>
        <Installation model={model} pull={pull} />
      </div>
      {model.isPullable && <InstallButton pull={pull} size="small" />}
      <PutAway />
    </section>
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
