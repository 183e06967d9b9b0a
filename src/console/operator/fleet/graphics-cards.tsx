import { share } from '../../parts/format.ts'
import { StateMark } from '../../parts/state-mark.tsx'
import type { Card } from './cards.ts'

const MIB_PER_GIB = 1024

/** Every graphics card as a tile, idle ones first: which one is free is seen without reading. */
export const GraphicsCards = ({ cards }: { cards: readonly Card[] }) =>
  cards.length === 0 ? null : (
    <section class="card">
      <div class="card-head">
        <h2>Graphics cards</h2>
        <p>
          {cards.filter(({ state }) => state === 'idle').length} idle of {cards.length}
        </p>
      </div>
      <ul class="gpus card-body">
        {cards.map((card) => (
          <li key={card.key} class={`gpu ${card.state}`}>
            <div class="row spread">
              <strong class="gpu-name">{card.name}</strong>
              <Sign state={card.state} />
            </div>
            <span class="faint small-text">
              {card.host} · {card.pools.join(', ')}
            </span>
            <Gauge name="Load" value={card.loadPercent ?? null} max={100} text={share((card.loadPercent ?? 0) / 100)} />
            <Gauge
              name="Memory"
              value={card.memoryUsedMib ?? null}
              max={card.memoryMib}
              text={`${gib(card.memoryUsedMib ?? 0)} of ${gib(card.memoryMib)} GiB`}
            />
          </li>
        ))}
      </ul>
    </section>
  )

const Sign = ({ state }: { state: Card['state'] }) =>
  state === 'silent' ? (
    <span class="pill warn">worker silent</span>
  ) : (
    <StateMark state={state === 'idle' ? 'READY' : 'PROCESSING'} label={state} />
  )

interface GaugeProps {
  readonly name: string
  /** Null: the driver does not tell. */
  readonly value: number | null
  readonly max: number
  readonly text: string
}

const Gauge = ({ name, value, max, text }: GaugeProps) => (
  <div class="gauge">
    <span>{name}</span>
    {value === null ? (
      <span class="faint">not reported</span>
    ) : (
      <>
        <meter min={0} max={Math.max(1, max)} value={value} aria-label={name} />
        <span class="figure">{text}</span>
      </>
    )}
  </div>
)

const gib = (mib: number): string => (mib / MIB_PER_GIB).toFixed(mib < 10 * MIB_PER_GIB ? 1 : 0)
