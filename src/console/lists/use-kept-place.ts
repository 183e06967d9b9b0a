import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { takesText } from '../shell/shortcuts.ts'

/** How far lists were scrolled when they were left, and the link that left them, by their addresses. */
const left = new Map<string, { readonly top: number; readonly link: string }>()

function keepPlace({ target }: Event): void {
  const link = (target as Element).closest('tbody tr')?.querySelector('a')?.getAttribute('href')
  if (link) left.set(location.href, { top: scrollY, link })
}

/** A table that Back leads to is where it was left, with the focus in its row; a field that the user has gone to meanwhile keeps it. */
export function useKeptPlace(): void {
  const { wasPush } = useLocation() as ReturnType<typeof useLocation> & { readonly wasPush: boolean }
  useEffect(() => {
    const place = wasPush ? undefined : left.get(location.href)
    if (place !== undefined && !takesText(document.activeElement)) {
      scrollTo(0, place.top)
      document.querySelector<HTMLElement>(`tbody a[href="${place.link}"]`)?.focus({ preventScroll: true })
    }
    document.addEventListener('click', keepPlace, true)
    return () => document.removeEventListener('click', keepPlace, true)
  }, [])
}
