import type { DeliveryPort } from '../jobs/lifecycle/end-jobs.ts'
import type { DeliveryParts } from './payload-snapshot.ts'

/** A process that ends jobs loads this code at its start, because an upgrade may replace the files. */
export const loadDeliveries = () => import('./delivery/create-delivery.ts')

/** Loads the delivery code at first use, to keep short commands light. */
export const openDeliveryPort = (parts: () => DeliveryParts): DeliveryPort => ({
  create: async (tx, jobs) => {
    const { createDeliveries } = await loadDeliveries()
    const made = await createDeliveries(
      parts(),
      tx,
      jobs.map((job) => ({ ...job, kind: 'job' as const })),
    )
    return made.announce
  },
})
