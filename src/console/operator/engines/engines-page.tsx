import { at } from '../../api/base.ts'
import { useEvery } from '../../api/use-every.ts'
import { useQuery } from '../../api/use-query.ts'
import { type EngineRowFragment, engines as enginesQuery } from '../../operations.ts'
import { Tile } from '../../overview/tile.tsx'
import { Empty } from '../../parts/empty.tsx'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { NEW } from '../endpoints/use-file-draft.ts'
import { Followed } from '../fleet/followed.tsx'
import { OperatorScreen } from '../operator-screen.tsx'
import { EngineCard } from './engine-card.tsx'
import { textsAtOnce } from './texts-at-once.ts'

/** Workers look at their engines about as often. */
const ASKED_MS = 5000

/** Engines that need an operator come first. */
const RANKS = ['FAILING', 'UNREACHABLE', 'DEGRADED', 'LOADING', 'UNKNOWN', 'COLD', 'READY'] as const
const RED: ReadonlySet<string> = new Set(['FAILING', 'UNREACHABLE'])

/** Says how each engine is, lets it be heard, and says what to do when it does not speak. */
export function EnginesPage() {
  const query = useQuery(enginesQuery, {})
  useEvery(ASKED_MS, query.data !== null, query.reload)
  const add = (
    <a class="button primary" href={at(`/operator/engines/${NEW}`)}>
      <Icon name="plus" /> Add an engine
    </a>
  )
  return (
    <OperatorScreen title="Engines" tab="engines" actions={add}>
      <Load query={query} skeleton={<SkeletonRows rows={6} />}>
        {({ engines }) =>
          engines.length === 0 ? (
            <Empty title="No engine speaks yet" action={add}>
              An engine is what turns text into speech: the built-in one, a model, or a server with a graphics card.
            </Empty>
          ) : (
            <Followed>
              <EngineTiles engines={engines} />
              <div class="cards">
                {engines.toSorted(byNeed).map((engine) => (
                  <EngineCard key={engine.endpoint.slug} engine={engine} />
                ))}
              </div>
            </Followed>
          )
        }
      </Load>
    </OperatorScreen>
  )
}

const byNeed = (a: EngineRowFragment, b: EngineRowFragment): number =>
  RANKS.indexOf(a.state) - RANKS.indexOf(b.state) || a.endpoint.name.localeCompare(b.endpoint.name)

function EngineTiles({ engines }: { engines: readonly EngineRowFragment[] }) {
  const red = engines.filter(({ state }) => RED.has(state)).length
  const { inUse, slots } = textsAtOnce(engines)
  const voices = engines.reduce((sum, { endpoint }) => sum + endpoint.voices.length, 0)
  return (
    <div class="tiles">
      <Tile
        name="Engines"
        value={count(engines.length)}
        note={red === 0 ? 'none is red' : `${count(red)} cannot speak`}
      />
      <Tile name="Speaking now" value={count(inUse)} note={`of ${count(slots)} texts at once`} />
      <Tile name="Voices" value={count(voices)} note="over all engines" />
    </div>
  )
}
