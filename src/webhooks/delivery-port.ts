import type { DeliveryPort } from '../jobs/lifecycle/job-end.ts'
import type { DeliveryParts } from './payload-snapshot.ts'

const creating = () => import('./delivery/create-delivery.ts')
const creatingWithEnd = () => import('./create-with-end.ts')

/** Loads what creates deliveries. A process that ends jobs does so at its start: a later version may lie in its folder at its first delivery. */
export const loadDeliveries = (): Promise<unknown> => Promise.all([creating(), creatingWithEnd()])

/**
 * How ending jobs reach this room. What creates a delivery is loaded with the first one, unless it was before: a short command needs none
 * of it.
 * @param parts asked for at the first delivery
 */
export function openDeliveryPort(parts: () => DeliveryParts): DeliveryPort {
  let createWithEnd: DeliveryPort['createWithEnd'] | undefined
  return {
    create: async (tx, job, url) => {
      const { createDelivery } = await creating()
      return createDelivery(parts(), tx, { ...job, kind: 'job' }, url)
    },
    createWithEnd: async (job, end) => {
      const { openCreateWithEnd } = await creatingWithEnd()
      createWithEnd ??= openCreateWithEnd(parts())
      return createWithEnd(job, end)
    },
  }
}
