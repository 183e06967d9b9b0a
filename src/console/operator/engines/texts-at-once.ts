import type { EngineRowFragment } from '../../operations.ts'

type Engine = Pick<EngineRowFragment, 'kind' | 'pool' | 'endpoint' | 'servers'>

/** Endpoints share a server, and the built-in engine of a pool; a model has processes of its own. */
const placeOf = ({ kind, pool, endpoint }: Engine, { address, host }: Engine['servers'][number]): string =>
  address === null ? `${kind} ${kind === 'espeak' ? pool : endpoint.slug}` : `${address} ${host}`

/** Texts that all engines speak now, and that they can speak at once. */
export function textsAtOnce(engines: readonly Engine[]): { inUse: number; slots: number } {
  const places = new Map(
    engines.flatMap((engine) => engine.servers.map((server) => [placeOf(engine, server), server] as const)),
  )
  const servers = [...places.values()]
  return {
    inUse: servers.reduce((sum, { slotsInUse }) => sum + slotsInUse, 0),
    slots: servers.reduce((sum, server) => sum + server.slots, 0),
  }
}
