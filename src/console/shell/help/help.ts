import { signal } from '@preact/signals'

const KEY = 'sonant-shortcuts'
export const isHelpOpen = signal(false)
export const showHelp = (): void => {
  isHelpOpen.value = true
}
/** Single letters can be switched off, for users that steer by voice. */
export const areShortcutsOn = signal(readChoice())

export function chooseShortcuts(value: 'on' | 'off'): void {
  areShortcutsOn.value = value === 'on'
  try {
    localStorage.setItem(KEY, value)
  } catch {
    // Without storage it lasts as long as the page.
  }
}

function readChoice(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}
