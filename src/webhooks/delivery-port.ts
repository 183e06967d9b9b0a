import type { DeliveryPort } from '../jobs/lifecycle/job-end.ts'
import type { DeliveryParts } from './payload-snapshot.ts'

/**
 * How ending jobs reach this room. What creates a delivery is loaded with the first one: a short command needs none of it.
 * @param parts asked for at the first delivery
 */
export const openDeliveryPort = (parts: () => DeliveryParts): DeliveryPort => ({
  create: async (tx, job, url, isRepeated) => {
    const { createDelivery } = await import('./delivery/create-delivery.ts')
    return createDelivery(parts(), tx, { ...job, kind: 'job', isBegunLater: isRepeated }, url)
  },
  createWithEnd: async (job, end) => {
    const { createWithEnd } = await import('./create-with-end.ts')
    return createWithEnd(parts(), job, end)
  },
})
