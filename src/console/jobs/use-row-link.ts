import { useLocation } from 'preact-iso/router'

const OWN_CLICKS = 'a, button, input'

/** What a press on a row of a table does: it leads there, unless the row's own link, button or box was pressed. */
export function useRowLink(href: string): (event: MouseEvent) => void {
  const { route } = useLocation()
  return ({ target }) => {
    if (target instanceof Element && target.closest(OWN_CLICKS) === null) route(href)
  }
}
