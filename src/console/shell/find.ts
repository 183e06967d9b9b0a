import { signal } from '@preact/signals'

/** Whether an id is asked for, over any screen. */
export const isFindOpen = signal(false)
export const showFind = (): void => {
  isFindOpen.value = true
}
export const closeFind = (): void => {
  isFindOpen.value = false
}
