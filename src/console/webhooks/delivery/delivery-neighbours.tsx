import { useMemo } from 'preact/hooks'
import { at } from '../../api/base.ts'
import { timeNow } from '../../api/clock.ts'
import { useQuery } from '../../api/use-query.ts'
import { NeighbourButtons } from '../../lists/neighbour-buttons.tsx'
import { type DeliveryNeighboursQuery, deliveryNeighbours } from '../../operations.ts'
import { useAddress } from '../../parts/use-address.ts'
import { deliveriesAddress, deliveriesFilterOf } from '../deliveries-filter.ts'

/** To the deliveries before and after it in the list that it was opened from, whose filters its address has kept. */
export function DeliveryNeighbours({ id }: { id: string }) {
  const { query } = useAddress()
  const kept = deliveriesAddress(query)
  const { filter } = useMemo(() => deliveriesFilterOf(query, timeNow()), [kept])
  const { data } = useQuery(deliveryNeighbours, { id, ...filter })
  const hrefOf = (side: keyof DeliveryNeighboursQuery): string | undefined => {
    const found = data?.[side].edges[0]?.node.id
    return found && at(`/webhooks/deliveries/${found}${kept}`)
  }
  return <NeighbourButtons noun="delivery" previous={hrefOf('previous')} next={hrefOf('next')} />
}
