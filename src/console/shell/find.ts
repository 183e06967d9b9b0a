import { signal } from '@preact/signals'

export const isFindOpen = signal(false)
export const showFind = (): void => {
  isFindOpen.value = true
}
export const closeFind = (): void => {
  isFindOpen.value = false
}
