import { useEffect } from 'preact/hooks'
import { follow } from '../../api/follow.ts'
import { type Loaded, useQuery } from '../../api/use-query.ts'
import { type FleetQuery, fleet, poolsLive, workersLive } from '../../operations.ts'

/** Pools and workers as they are now: asked once, then followed. */
export function useFleet(): Loaded<FleetQuery> {
  const query = useQuery(fleet, {})
  const isLoaded = query.data !== null
  useEffect(() => {
    if (!isLoaded) return
    const ends = [
      follow(poolsLive, {}, ({ poolsUpdated }) => query.replace((data) => ({ ...data, pools: poolsUpdated }))),
      follow(workersLive, {}, ({ workersUpdated }) => query.replace((data) => ({ ...data, workers: workersUpdated }))),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [isLoaded])
  return query
}
