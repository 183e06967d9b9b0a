import { signal } from '@preact/signals'
import { ApiError } from '../../api/api-error.ts'
import { whenUnconfirmed } from '../../api/ask.ts'

interface Confirmation {
  readonly confirmed: Promise<void>
  readonly goOn: () => void
  /** What was asked for fails. */
  readonly refuse: (reason: string) => void
}

/** What waits until its user has given the password again, or has set a first one. */
export const confirmation = signal<Confirmation | null>(null)

// Whatever is pressed meanwhile waits for the same answer.
whenUnconfirmed(() => {
  confirmation.value ??= begin()
  return confirmation.value.confirmed
})

function begin(): Confirmation {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return {
    confirmed: promise.finally(() => {
      confirmation.value = null
    }),
    goOn: resolve,
    refuse: (reason) => reject(new ApiError(reason, { code: 'NOT_CONFIRMED' })),
  }
}
