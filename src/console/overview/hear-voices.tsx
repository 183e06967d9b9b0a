import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { sentenceOf } from '../api/words.ts'
import { Failure } from '../parts/failure.tsx'
import { isolated } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Player } from '../parts/player.tsx'
import { refresh, startTake, type Take, takes } from '../playground/takes.ts'
import type { Speaker } from './steps.ts'

const WELCOME = 'Welcome to Sonant! This is one of my voices. Whatever you write in the playground, I read out to you.'

export const HearVoices = ({ speaker }: { speaker: Speaker | null }) => (
  <>
    {speaker === null ? (
      <p class="prose">Nothing can speak now. Look again in a moment, then ask your operator.</p>
    ) : (
      <div class="first-voices">
        {speaker.voices.map((voice, index) => (
          <VoiceLine key={voice.slug} speaker={speaker} voice={voice} isFirst={index === 0} />
        ))}
      </div>
    )}
    <p class="prose">
      More voices, and a text of your own: <a href={at('/playground')}>open the playground</a>.
    </p>
  </>
)

interface VoiceLineProps {
  readonly speaker: Speaker
  readonly voice: Speaker['voices'][number]
  readonly isFirst: boolean
}

function VoiceLine({ speaker: { endpoint }, voice, isFirst }: VoiceLineProps) {
  const of = { endpoint: endpoint.slug, voice: voice.slug, voiceName: voice.name, text: WELCOME }
  const speak = useAction(() => startTake({ ...of, inputs: { text: WELCOME, [endpoint.voiceInput]: voice.slug } }))
  const take = takes.value.find((one) => one.endpoint === of.endpoint && one.voice === of.voice && one.text === WELCOME)
  const hasFailed = take?.progress?.status === 'FAILED'
  return (
    <div class="first-voice">
      {speak.failure !== null && <Failure failure={speak.failure} />}
      {hasFailed && <p class="notice bad small-text">{sentenceOf('', take.progress?.error ?? '')}</p>}
      {take === undefined || hasFailed ? (
        <button
          type="button"
          class={isFirst ? 'button primary large' : 'button large'}
          aria-disabled={speak.isOff}
          onClick={() => void speak.run()}
        >
          <Icon name="volume" /> Hear {isolated(voice.name)}
        </button>
      ) : (
        <Heard take={take} />
      )}
    </div>
  )
}

function Heard({ take: { jobId, voiceName, progress, audio, isBack } }: { take: Take }) {
  const isCompleted = progress?.status === 'COMPLETED'
  return (
    <>
      <strong dir="auto">{voiceName}</strong>
      <Player
        src={(isCompleted ? audio?.wav : audio?.liveUrl) ?? audio?.liveUrl ?? null}
        waveOf={isCompleted ? jobId : null}
        label={voiceName}
        isAutoplay={isBack !== true}
        onError={() => refresh(jobId)}
      />
    </>
  )
}
