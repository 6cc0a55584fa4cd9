// The emoji names that are met in everyday messages; others stay as they are written.

const EMOJI = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", ok_hand: "👌", wave: "👋", pray: "🙏", clap: "👏",
  raised_hands: "🙌", muscle: "💪", point_right: "👉", point_left: "👈", point_down: "👇", point_up: "☝️", eyes: "👀",
  smile: "😄", smiley: "😃", grinning: "😀", slightly_smiling_face: "🙂", wink: "😉", blush: "😊", joy: "😂", thinking_face: "🤔",
  cry: "😢", sob: "😭", sweat_smile: "😅", sunglasses: "😎", heart: "❤️", sparkles: "✨", star: "⭐", fire: "🔥", rocket: "🚀",
  tada: "🎉", trophy: "🏆", bulb: "💡", zap: "⚡", boom: "💥", white_check_mark: "✅", heavy_check_mark: "✔️",
  ballot_box_with_check: "☑️", x: "❌", negative_squared_cross_mark: "❎", warning: "⚠️", no_entry: "⛔", no_entry_sign: "🚫",
  question: "❓", exclamation: "❗", information_source: "ℹ️", bangbang: "‼️", lock: "🔒", unlock: "🔓", key: "🔑", link: "🔗",
  bell: "🔔", no_bell: "🔕", mag: "🔍", pencil: "📝", pencil2: "✏️", memo: "📝", page_facing_up: "📄", clipboard: "📋",
  date: "📅", calendar: "📆", spiral_calendar_pad: "🗓️", alarm_clock: "⏰", clock1: "🕐", hourglass: "⌛",
  hourglass_flowing_sand: "⏳", stopwatch: "⏱️", email: "📧", envelope: "✉️", incoming_envelope: "📨", inbox_tray: "📥",
  outbox_tray: "📤", telephone_receiver: "📞", phone: "☎️", computer: "💻", robot_face: "🤖", gear: "⚙️", wrench: "🔧",
  package: "📦", chart_with_upwards_trend: "📈", bar_chart: "📊", moneybag: "💰", credit_card: "💳", coffee: "☕",
  airplane: "✈️", house: "🏠", office: "🏢", earth_africa: "🌍", sunny: "☀️", cloud: "☁️", red_circle: "🔴",
  large_yellow_circle: "🟡", large_green_circle: "🟢", large_blue_circle: "🔵", white_circle: "⚪", black_circle: "⚫",
  arrow_right: "➡️", arrow_left: "⬅️", arrow_up: "⬆️", arrow_down: "⬇️", arrows_counterclockwise: "🔄", repeat: "🔁",
  speech_balloon: "💬", mega: "📣", loudspeaker: "📢", pushpin: "📌", paperclip: "📎", wastebasket: "🗑️", "100": "💯",
};

export const emoji = (name) => (Object.hasOwn(EMOJI, name) ? EMOJI[name] : null);
