import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { startCommand } from '../../jobs/serves-pool.ts'
import type { EngineRowFragment } from '../../operations.ts'
import { Sparkline } from '../../overview/sparkline.tsx'
import { count, duration } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { fileOf } from '../endpoints/file-of.ts'
import { kindWords, NEXT_STEPS, placeWords, STATE_WORDS } from './engine-words.ts'
import { HearPanel } from './hear-panel.tsx'

type Server = EngineRowFragment['servers'][number]

/** One engine: how it is at each of its servers, and a sentence of it to hear. */
export function EngineCard({ engine: { endpoint, kind, pool, state, servers } }: { engine: EngineRowFragment }) {
  const [isOpen, setOpen] = useState(false)
  const panel = useId()
  const { slug, name, voices } = endpoint
  return (
    <section class="card engine" aria-label={name}>
      <div class="card-head">
        <EngineName slug={slug} name={name} kind={kind} />
        <div class="row">
          <StateMark state={state} label={STATE_WORDS[state]} />
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen}
            aria-controls={panel}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="volume" size={14} /> Hear it
          </button>
        </div>
      </div>
      <div id={panel} class="engine-hear" hidden={!isOpen}>
        {isOpen && <HearPanel voices={voices} onSource={async (voice) => ({ slug, voice: voice.slug })} />}
      </div>
      {servers.map((server, at) => (
        <ServerFacts
          key={`${server.address} ${server.host} ${at}`}
          server={server}
          pool={pool}
          voices={voices.length}
          isAlone={servers.length === 1}
        />
      ))}
    </section>
  )
}

const EngineName = ({ slug, name, kind }: { slug: string; name: string; kind: string }) => (
  <div class="engine-name">
    <h2>
      <a href={fileOf(slug)}>{name}</a>
    </h2>
    <span class="faint small-text">{kindWords(kind)}</span>
  </div>
)

interface ServerFactsProps {
  readonly server: Server
  readonly pool: string
  /** How many the endpoint has. */
  readonly voices: number
  /** Its state is that of the engine. */
  readonly isAlone: boolean
}

const ServerFacts = ({ server, pool, voices, isAlone }: ServerFactsProps) => (
  <div class="card-body engine-server">
    {!isAlone && (
      <p class="row">
        <strong>{placeWords(server)}</strong> <StateMark state={server.state} label={STATE_WORDS[server.state]} />
      </p>
    )}
    <Trouble server={server} pool={pool} />
    <dl class="facts">
      {isAlone && <Fact name="Where">{placeWords(server)}</Fact>}
      <Fact name="Texts at once">
        <Slots server={server} />
      </Fact>
      <Fact name="A sentence takes">{latencyWords(server)}</Fact>
      <Fact name="Last spoke">
        <Moment at={server.spokeAt} empty="not yet" />
      </Fact>
      <Fact name="Voices">{voicesWords(server, voices)}</Fact>
      <LastHour history={server.history} />
    </dl>
  </div>
)

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Why it is red, since when, and the next step. */
function Trouble({ server: { failure, error, failingSince, state }, pool }: { server: Server; pool: string }) {
  if (failure === null) return null
  return (
    <div class={state === 'DEGRADED' ? 'notice warn' : 'notice bad'}>
      <Icon name="alert" />
      <div class="notice-body">
        <p>
          <strong>{NEXT_STEPS[failure]}</strong>
          {failure === 'NO_WORKER' && (
            <>
              {' '}
              <code>{startCommand(pool)}</code>
            </>
          )}
        </p>
        {error !== null && <p class="small-text">{error}</p>}
        {failingSince !== null && (
          <p class="faint small-text">
            Since <Moment at={failingSince} />
          </p>
        )}
      </div>
    </div>
  )
}

const Slots = ({ server: { slots, slotsInUse } }: { server: Server }) =>
  slots === 0 ? (
    <span class="faint">not told yet</span>
  ) : (
    <span class="slots">
      <meter min={0} max={slots} value={Math.min(slots, slotsInUse)} aria-label="Texts that it speaks now" />
      <span class="figure">
        {count(slotsInUse)} of {count(slots)}
      </span>
    </span>
  )

const latencyWords = ({ speechMs, audioMs }: Server): ComponentChildren =>
  speechMs === null ? (
    <span class="faint">not tried yet</span>
  ) : (
    <>
      {duration(speechMs)} <span class="faint">for {duration(audioMs)} of speech</span>
    </>
  )

const voicesWords = ({ voicesMissing }: Server, voices: number): ComponentChildren =>
  voicesMissing.length === 0 ? count(voices) : `${count(voices)}, of which it lacks ${voicesMissing.join(', ')}`

/** The drawing has its figures beside it. */
function LastHour({ history }: { history: Server['history'] }) {
  const spoken = history.reduce((sum, minute) => sum + minute.spoken, 0)
  const failed = history.reduce((sum, minute) => sum + minute.failed, 0)
  return (
    <div class="last-hour">
      <dt>Last hour</dt>
      <dd>
        <span>
          {count(spoken)} spoken{failed > 0 && `, ${count(failed)} failed`}
        </span>
        <Sparkline values={history.map(({ meanMs }) => meanMs ?? 0)} />
      </dd>
    </div>
  )
}
