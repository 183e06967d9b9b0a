import { signal } from '@preact/signals'
import { ApiError } from '../../api/api-error.ts'
import { whenUnconfirmed } from '../../api/ask.ts'

interface Confirmation {
  readonly confirmed: Promise<void>
  readonly goOn: () => void
  /** Gives the change up with a reason. */
  readonly refuse: (reason: string) => void
}

/** The change that waits until the user has given the password again, or has set a first one. */
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
