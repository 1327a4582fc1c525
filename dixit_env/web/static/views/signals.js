// In the menu: how the page may call its reader.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { canNotify } from "../signals.js";
import { tick } from "./settings.js";

export const signalChoices = (s, act) =>
  h("section", { class: "signals" }, [
    h("h3", {}, t("signals")),
    tick("sounds", t("signals.sounds"), s.sounds, act.sounds),
    canNotify() &&
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => act.notices(!s.notices) },
        t(s.notices ? "signals.noNotices" : "signals.notices"),
      ),
  ]);
