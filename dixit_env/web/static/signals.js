// How the page calls its reader: sounds, a phone's vibration, and the desktop's notifications.

import { t } from "./i18n.js";
import { sound } from "./sounds.js";

const VIBRATION = [70, 60, 70]; // milliseconds on, off, on

/** Can this browser show notifications for this page at all? They need HTTPS or this machine's own address. */
export const canNotify = () => isSecureContext && "Notification" in window;

/** Ask the reader, once; may notifications be shown? */
export const askToNotify = async () => (await Notification.requestPermission()) === "granted";

export function signal(cues, s) {
  if (s.sounds) cues.forEach(sound);
  if (!cues.includes("mine")) return;
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATION); // before a touch it is an error
  if (s.notices && document.visibilityState === "hidden") notify(s);
}

function notify({ state, table }) {
  if (!canNotify() || Notification.permission !== "granted") return;
  const body = t(`notice.${state.phase}`, { clue: state.clue });
  try {
    const notice = new Notification(t("title.you"), { body, tag: `dixit:${table}` });
    notice.onclick = () => {
      window.focus();
      notice.close();
    };
  } catch {
    // some phones show notifications of installed pages only; there it vibrates
  }
}
